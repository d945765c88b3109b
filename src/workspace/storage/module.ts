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
  errorCodes: { STORAGE_QUOTA_EXCEEDED: '422: the workspace has less storage left than this takes.' },
  routes: () => import('./routes.ts'),
})
