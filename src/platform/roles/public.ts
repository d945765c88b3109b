/** Roles of platform users. */
export { areOthers, refuseMorePowerful, roleNames, rolesOf, rolesToGive, SUPERADMIN } from './powers.ts'
export { RoleNames } from './schema.ts'
export { seededRoles } from './seeds.ts'
