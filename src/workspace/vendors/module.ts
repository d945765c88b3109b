import { defineModule, type Named } from '#kernel/modules/module.ts'

const permissions = {
  view: 'See vendors',
  create: 'Add vendors',
  update: 'Change vendors',
  delete: 'Delete vendors',
  restore: 'Restore deleted vendors',
  'force.delete': 'Delete vendors for good',
}

declare module '#kernel/modules/module.ts' {
  interface WorkspacePermissions extends Named<'vendors', typeof permissions> {}
}

export default defineModule({
  key: 'vendors',
  title: 'Vendors',
  description: 'Whom the firm buys from.',
  version: '1.2.0',
  permissions,
  routes: () => import('./routes.ts'),
  demo: () => import('./fixtures.ts'),
})
