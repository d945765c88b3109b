import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('companies'),
  assign: 'Give companies to somebody, and see those of everybody',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'companies', typeof permissions> {}
  interface Subjects {
    company: true
  }
}

export default defineModule({
  key: 'companies',
  title: 'Companies',
  description: 'Firms that the firm deals with.',
  position: 30,
  version: '1.2.0',
  category: 'Customers and sales',
  defaultIncluded: true,
  uses: ['document-texts', 'e-invoices'],
  permissions,
  subjects: { company: async () => (await import('./companies.ts')).companies },
  notifications: { category: 'crm', mentions: ['company'] },
  placeholders: () => import('./placeholders.ts'),
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  demo: () => import('./demo.ts'),
})
