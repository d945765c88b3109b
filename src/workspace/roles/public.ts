/** Roles as users and provisioning need them. */
export { OWNER_ROLE, rolesToGive } from './roles.ts'
