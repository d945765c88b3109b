/** Workspaces for other areas: creating and filling them, finding them, lists of their records, and the audit log. */
export { installAll } from './installation.ts'
export { ofTenant, tenantIfAny, tenantInShort } from './of-tenant.ts'
export { provision } from './provisioning.ts'
export { reviewedProperties } from './reviewed-properties.ts'
export { default as seedWhatIsNew } from './seeding.ts'
export { type LockedTenant, tenants } from './tenants.ts'
export { lockRegistrations, noteUnproven, PROOF_DAYS, refuseTooMany } from './unproven.ts'
