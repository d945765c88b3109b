import { defineModule, type Named } from '#kernel/modules/module.ts'

const permissions = {
  view: 'See warehouses',
  create: 'Add warehouses',
  update: 'Change warehouses',
  delete: 'Delete warehouses',
  restore: 'Restore deleted warehouses',
  'force.delete': 'Delete warehouses for good',
}

declare module '#kernel/modules/module.ts' {
  interface WorkspacePermissions extends Named<'warehouses', typeof permissions> {}
}

export default defineModule({
  key: 'warehouses',
  title: 'Warehouses',
  description: 'Where the firm keeps its stock.',
  version: '1.0.0',
  permissions,
  routes: () => import('./routes.ts'),
  demo: () => import('./fixtures.ts'),
})
