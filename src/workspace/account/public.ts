/** The account's address, as users and profiles share it. */
export { endLinks, profileOf, proveAddress, refuseTakenEmail } from './account.ts'
