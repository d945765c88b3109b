/** How others make workspaces and fill them. */
export { installAll } from './installation.ts'
export { provision } from './provisioning.ts'
export { default as seedWhatIsNew } from './seeding.ts'
export { lockTenant } from './tenants.ts'
