/** Users for other modules. */

export { mayBeGivenLeads } from './lead-assignees.ts'
export { changeRoles, giveRoles, stamp, users } from './users.ts'
