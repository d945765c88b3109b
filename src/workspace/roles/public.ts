/** Exports for users and the account. */
export { beyond, permissionsOf, refuseMorePowerful, rolesOf } from './powers.ts'
export { everydayRole, MEMBER, roleNames, rolesToGive } from './roles.ts'
export { RoleNames } from './schema.ts'
