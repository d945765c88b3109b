import { defineModule, type Named } from '#kernel/modules/module.ts'

const permissions = {
  view: 'See products',
  create: 'Add products',
  update: 'Change products',
  delete: 'Delete products',
  restore: 'Restore deleted products',
  'force.delete': 'Delete products for good',
}

declare module '#kernel/modules/module.ts' {
  interface WorkspacePermissions extends Named<'products', typeof permissions> {}
}

export default defineModule({
  key: 'products',
  title: 'Products',
  description: 'What the firm buys, stocks and sells.',
  version: '1.0.0',
  permissions,
  routes: () => import('./routes.ts'),
  demo: () => import('./fixtures.ts'),
})
