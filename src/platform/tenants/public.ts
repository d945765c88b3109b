/** How others make workspaces and fill them. */
export { install, installAll } from './installation.ts'
export { provision } from './provisioning.ts'
