export { giveRoles } from './users.ts'
