import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('communication templates'),
  use: 'Use communication templates: fill them in for a record and a phone',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'communication-templates', typeof permissions> {}
}

export default defineModule({
  key: 'communication-templates',
  title: 'Communication templates',
  description: 'Texts with placeholders for chat messages about leads, customers, invoices and the like.',
  version: '1.0.0',
  category: 'Communication',
  permissions,
  everyday: ['view', 'use'],
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
