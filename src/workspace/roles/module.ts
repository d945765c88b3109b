import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = { view: 'See roles and what they allow', create: 'Add roles', update: 'Change roles', delete: 'Delete roles' }

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'roles', typeof permissions> {}
}

export default defineModule({
  key: 'roles',
  title: 'Roles',
  description: 'Named sets of permissions that users are given.',
  core: true,
  path: '',
  permissions,
  screen: () => import('./screen.ts'),
  routes: () => import('./routes.ts'),
})
