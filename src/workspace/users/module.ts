import { defineModule, type Named } from '#kernel/modules/module.ts'

const permissions = {
  view: 'See users',
  create: 'Add users',
  update: 'Change users and verify their addresses',
  delete: 'Delete users',
  restore: 'Restore deleted users',
  suspend: 'Suspend users and lift suspensions',
  impersonate: 'Work as another user for an hour',
}

declare module '#kernel/modules/module.ts' {
  interface WorkspacePermissions extends Named<'users', typeof permissions> {}
}

export default defineModule({
  key: 'users',
  title: 'Users',
  description: 'The people of the workspace.',
  core: true,
  requires: ['roles', 'account'],
  permissions,
  routes: () => import('./routes.ts'),
  demo: () => import('./fixtures.ts'),
})
