export { giveRoles, touch } from './users.ts'
