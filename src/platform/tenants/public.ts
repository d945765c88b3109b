/** How others make workspaces and fill them, find them, list what belongs to one, and read the audit log. */
export { installAll } from './installation.ts'
export { ofTenant, tenantIfAny, tenantInShort } from './of-tenant.ts'
export { provision } from './provisioning.ts'
export { reviewedProperties } from './reviewed-properties.ts'
export { default as seedWhatIsNew } from './seeding.ts'
export { type LockedTenant, tenants } from './tenants.ts'
export { lockRegistrations, noteUnproven, PROOF_DAYS, refuseTooMany } from './unproven.ts'
