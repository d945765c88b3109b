import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('expenses'),
  approve: 'Approve expenses, mark them paid, reopen them',
  assign: 'Give expenses to somebody, and see those of everybody',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'expenses', typeof permissions> {}
  interface Subjects {
    expense: true
  }
}

export default defineModule({
  key: 'expenses',
  title: 'Expenses',
  description: 'What the firm spends, from the draft to the payment.',
  position: 120,
  version: '1.0.0',
  category: 'Finance',
  uses: ['vendors'],
  permissions,
  subjects: { expense: async () => (await import('./expenses.ts')).expenses },
  notifications: { category: 'billing', mentions: ['expense'] },
  installation: () => import('./installation.ts'),
  routes: () => import('./routes.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./demo.ts'),
})
