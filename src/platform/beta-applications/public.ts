/** Registration with an invitation. */
export { admits, redeemInvite } from './invites.ts'
