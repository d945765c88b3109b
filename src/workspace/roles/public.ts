/** Roles as users and provisioning need them. */
export { roleNames, rolesToGive } from './roles.ts'
