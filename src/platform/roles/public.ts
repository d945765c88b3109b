/** What roles mean for the people who have them. */
export { refuseMorePowerful, rolesOf, rolesToGive, SUPERADMIN } from './powers.ts'
