import { type AuditEventNames, defineModule, type PermissionNames } from '#kernel/modules/module.ts'

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

const auditEvents = { tenant_force_deleted: 'Workspace deleted for good' }

const auditEventsOfWorkspaces = {
  tenant_created: 'Workspace created',
  tenant_updated: 'Workspace changed',
  tenant_archived: 'Workspace archived',
  tenant_unarchived: 'Workspace opened again',
  tenant_deleted: 'Workspace deleted',
  tenant_restored: 'Workspace restored',
  owner_verified: 'Owner verified',
  module_installed: 'Module installed',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'tenants', typeof permissions> {}
  interface AuditEvents extends AuditEventNames<typeof auditEvents>, AuditEventNames<typeof auditEventsOfWorkspaces> {}
}

export default defineModule({
  key: 'tenants',
  title: 'Tenants',
  description: 'The workspaces of the platform and what is installed in them.',
  uses: ['storage', 'issued-documents', 'e-invoices'],
  permissions,
  auditEvents,
  auditEventsOfWorkspaces,
  errorCodes: { REGISTRATION_BUSY: '503: too many new workspaces wait for the proof of an address.' },
  jobs: () => import('./jobs.ts'),
  start: () => import('./seeding.ts'),
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  demo: () => import('./demo.ts'),
})
