import { type AuditEventNames, defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = { list: 'See the e-mail log', read: 'Read a logged mail', resend: 'Send a logged mail again' }

const auditEventsOfWorkspaces = { secret_mail_read: 'Mail with a secret read' }

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'email-logs', typeof permissions> {}
  interface AuditEvents extends AuditEventNames<typeof auditEventsOfWorkspaces> {}
}

export default defineModule({
  key: 'email-logs',
  title: 'E-mail log',
  description: 'Every mail that the platform and its workspaces sent.',
  permissions,
  auditEventsOfWorkspaces,
  screen: () => import('./screen.ts'),
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
