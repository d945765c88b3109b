/** What roles mean for the people who have them. */
export { areOthers, refuseMorePowerful, roleNames, rolesOf, rolesToGive, SUPERADMIN } from './powers.ts'
export { RoleNames } from './schema.ts'
export { seededRoles } from './seeds.ts'
