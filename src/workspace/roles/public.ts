/** Roles as users and provisioning need them. */
export { rolesToGive } from './roles.ts'
