/** Users as other modules find them. */
export { users } from './users.ts'
