import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = recordPermissions('vendors')

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'vendors', typeof permissions> {}
  interface Subjects {
    vendor: true
  }
}

export default defineModule({
  key: 'vendors',
  title: 'Vendors',
  description: 'Whom the firm buys from.',
  version: '1.2.0',
  category: 'Purchasing and stock',
  permissions,
  subjects: { vendor: async () => (await import('./vendors.ts')).vendors },
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
