import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-49. */
const permissions = {
  list: 'See workspaces',
  create: 'Make workspaces',
  read: 'See a workspace, its modules and its audit log',
  update: 'Change workspaces',
  delete: 'Delete workspaces',
  restore: 'Restore deleted workspaces',
  'force.delete': 'Delete workspaces for good',
  archive: 'Archive workspaces and open them again',
  verify: "Verify an owner's address",
  act: 'Work in workspaces by X-Workspace, with API keys or in person',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'tenants', typeof permissions> {}
}

export default defineModule({
  key: 'tenants',
  title: 'Tenants',
  description: 'The workspaces of the platform and what is installed in them.',
  uses: ['storage', 'issued-documents'],
  permissions,
  errorCodes: { REGISTRATION_BUSY: '503: too many new workspaces wait for the proof of an address.' },
  jobs: () => import('./jobs.ts'),
  start: () => import('./seeding.ts'),
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  demo: () => import('./demo.ts'),
})
