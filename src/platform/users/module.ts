import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

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

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'users', typeof permissions> {}
}

export default defineModule({
  key: 'users',
  title: 'Platform users',
  description: 'The people who run the platform.',
  permissions,
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
