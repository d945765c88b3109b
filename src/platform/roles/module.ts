import { type AuditEventNames, defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-50. */
const permissions = {
  list: 'See the platform’s roles and the matrix of permissions',
  create: 'Add roles',
  read: 'See a role',
  update: 'Change roles',
  delete: 'Delete roles',
  clone: 'Copy roles',
}

const auditEvents = {
  role_created: 'Platform role created',
  role_updated: 'Platform role changed',
  role_deleted: 'Platform role deleted',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'roles', typeof permissions> {}
  interface AuditEvents extends AuditEventNames<typeof auditEvents> {}
}

export default defineModule({
  key: 'roles',
  title: 'Platform roles',
  description: 'What the people of the platform may do.',
  permissions,
  auditEvents,
  start: () => import('./start.ts'),
  routes: () => import('./routes.ts'),
})
