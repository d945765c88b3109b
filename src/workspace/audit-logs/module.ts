import { type AuditEventNames, defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = { view: 'See the audit log' }

const auditEvents = { user_signed_in: 'Signed in' }

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'audit-logs', typeof permissions> {}
  interface AuditEvents extends AuditEventNames<typeof auditEvents> {}
}

export default defineModule({
  key: 'audit-logs',
  title: 'Audit log',
  description: 'Who did what that an auditor would ask about.',
  core: true,
  permissions,
  auditEvents,
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./demo.ts'),
})
