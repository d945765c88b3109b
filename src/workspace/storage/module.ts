import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = { view: 'See how much storage the workspace uses' }

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'storage', typeof permissions> {}
}

export default defineModule({
  key: 'storage',
  title: 'Storage',
  description: 'How much a workspace may store, and how much it does.',
  version: '1.1.0',
  category: 'Files',
  defaultIncluded: true,
  permissions,
  routes: () => import('./routes.ts'),
})
