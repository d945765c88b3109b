import { type AuditEventNames, defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-53. */
const permissions = { list: "See the platform's settings", update: "Change the platform's settings, and send a test mail" }

const auditEvents = {
  system_settings_updated: 'System settings changed',
  test_mail_sent: 'Test mail sent',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'system-settings', typeof permissions> {}
  interface AuditEvents extends AuditEventNames<typeof auditEvents> {}
}

export default defineModule({
  key: 'system-settings',
  title: 'System settings',
  description: 'How the platform works and looks, who delivers its mail, and when it is closed for maintenance.',
  path: '',
  permissions,
  auditEvents,
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  demo: () => import('./demo.ts'),
})
