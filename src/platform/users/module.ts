import { type AuditEventNames, defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-48. */
const permissions = {
  list: 'See the people of the platform',
  create: 'Add people',
  read: 'See somebody, and what they did',
  update: 'Change people and their roles, and vouch for their addresses',
  delete: 'Delete people',
  restore: 'Restore deleted people',
  'force.delete': 'Delete people for good',
  suspend: 'Suspend people',
  unsuspend: 'Lift suspensions',
  invite: 'Invite people',
  'reset-password': 'Give people another password',
}

const auditEvents = {
  platform_user_created: 'Platform user created',
  platform_user_invited: 'Platform user invited',
  platform_user_updated: 'Platform user changed',
  platform_user_verified: 'Address of a platform user verified',
  platform_user_suspended: 'Platform user suspended',
  platform_user_unsuspended: 'Suspension of a platform user lifted',
  platform_user_deleted: 'Platform user deleted',
  platform_user_restored: 'Platform user restored',
  platform_user_force_deleted: 'Platform user deleted for good',
  platform_user_password_reset: 'Password of a platform user reset',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'users', typeof permissions> {}
  interface AuditEvents extends AuditEventNames<typeof auditEvents> {}
}

export default defineModule({
  key: 'users',
  title: 'Platform users',
  description: 'The people who run the platform.',
  permissions,
  auditEvents,
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
