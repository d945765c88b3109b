/** When impersonations end with something else. */
export { endImpersonations, endWithSession } from './impersonation.ts'
