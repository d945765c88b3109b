import { defineModule, type Named } from '#kernel/modules/module.ts'

const permissions = {
  view: 'See expenses',
  create: 'Add expenses',
  update: 'Change expenses',
  approve: 'Approve expenses, mark them paid, reopen them',
  assign: 'Give expenses to somebody, and see those of everybody',
  delete: 'Delete expenses',
  restore: 'Restore deleted expenses',
  'force.delete': 'Delete expenses for good',
}

declare module '#kernel/modules/module.ts' {
  interface WorkspacePermissions extends Named<'expenses', typeof permissions> {}
}

export default defineModule({
  key: 'expenses',
  title: 'Expenses',
  description: 'What the firm spends, from the draft to the payment.',
  version: '1.0.0',
  uses: ['vendors'],
  permissions,
  routes: () => import('./routes.ts'),
  demo: () => import('./fixtures.ts'),
})
