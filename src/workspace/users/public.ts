/** Users as other modules find them. */

export { mayBeGivenLeads } from './lead-assignees.ts'
export { changeRoles, giveRoles, stamp, users } from './users.ts'
