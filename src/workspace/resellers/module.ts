import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = recordPermissions('resellers')

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'resellers', typeof permissions> {}
  interface Subjects {
    reseller: true
  }
}

export default defineModule({
  key: 'resellers',
  title: 'Resellers',
  description: 'Who sells for the firm.',
  version: '1.0.0',
  category: 'Customers and sales',
  permissions,
  subjects: { reseller: async () => (await import('./resellers.ts')).resellers },
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
