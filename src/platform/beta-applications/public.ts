/** Registering by an invitation. */
export { admits, redeemInvite } from './invites.ts'
