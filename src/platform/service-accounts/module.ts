import { type AuditEventNames, defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = { manage: 'Manage service accounts of the platform and their API keys' }

const auditEvents = {
  service_account_created: 'Service account created',
  service_account_updated: 'Service account changed',
  service_account_suspended: 'Service account suspended',
  service_account_unsuspended: 'Suspension of a service account lifted',
  service_account_deleted: 'Service account deleted',
  service_account_restored: 'Service account restored',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'service-accounts', typeof permissions> {}
  interface AuditEvents extends AuditEventNames<typeof auditEvents> {}
}

export default defineModule({
  key: 'service-accounts',
  title: 'Service accounts',
  description: 'Accounts of programs that run the platform: with roles and API keys, without password and mailbox.',
  permissions,
  auditEvents,
  routes: () => import('./routes.ts'),
})
