import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-50. */
const permissions = {
  list: 'See the platform’s roles and the matrix of permissions',
  create: 'Add roles',
  read: 'See a role',
  update: 'Change roles',
  delete: 'Delete roles',
  clone: 'Copy roles',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'roles', typeof permissions> {}
}

export default defineModule({
  key: 'roles',
  title: 'Platform roles',
  description: 'What the people of the platform may do.',
  permissions,
  start: () => import('./start.ts'),
  routes: () => import('./routes.ts'),
})
