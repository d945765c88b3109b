/** Ends impersonations together with other actions. */
export { endImpersonations, endWithSession } from './impersonation.ts'
