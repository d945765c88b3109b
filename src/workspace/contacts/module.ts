import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('contacts'),
  assign: 'Give contacts to somebody, and see those of everybody',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'contacts', typeof permissions> {}
  interface Subjects {
    contact: true
  }
}

export default defineModule({
  key: 'contacts',
  title: 'Contacts',
  description: 'People the firm deals with.',
  position: 20,
  version: '1.5.0',
  category: 'Customers and sales',
  defaultIncluded: true,
  uses: ['companies', 'document-texts', 'e-invoices'],
  permissions,
  subjects: { contact: async () => (await import('./contacts.ts')).contacts },
  notifications: { category: 'crm', mentions: ['contact'] },
  placeholders: () => import('./placeholders.ts'),
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./demo.ts'),
})
