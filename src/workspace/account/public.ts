/** The account's address, as users and profiles share it. */
export { endLinks, proveAddress, takenEmail } from './account.ts'
