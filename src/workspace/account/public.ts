/** The account's address, as users and profiles share it. */
export { changedEmail, endLinks, proveAddress, takenEmail } from './account.ts'
