/** Users as other modules find them. */

export { mayBeGivenLeads } from './lead-assignees.ts'
export { users } from './users.ts'
