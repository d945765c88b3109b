/** The account's address, as users and profiles share it. */
export { mailVerification, profileOf, refuseTakenEmail } from './account.ts'
