import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('opportunities'),
  create: 'Add opportunities and stages',
  update: 'Change opportunities and stages',
  delete: 'Delete opportunities and stages',
  assign: 'Give opportunities to somebody, and see those of everybody',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'opportunities', typeof permissions> {}
  interface Subjects {
    opportunity: true
  }
}

export default defineModule({
  key: 'opportunities',
  title: 'Opportunities',
  description: 'What might be sold, to whom, for how much, and how far that has come.',
  position: 40,
  version: '1.0.0',
  category: 'Customers and sales',
  path: '',
  uses: ['contacts', 'companies'],
  permissions,
  subjects: { opportunity: async () => (await import('./opportunities.ts')).opportunities },
  notifications: { category: 'crm', mentions: ['opportunity'] },
  placeholders: () => import('./placeholders.ts'),
  installation: () => import('./installation.ts'),
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
