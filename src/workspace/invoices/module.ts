import { defineModule, numberPrefix, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('invoices'),
  update: 'Change drafts, add notes, stop series',
  assign: 'See everybody’s invoices and assign them',
  send: 'Send and mail invoices to customers',
  void: 'Void invoices',
  configure: 'Say when customers are reminded of what they owe',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'invoices', typeof permissions> {}
  interface WorkspaceSettings {
    invoices_number_prefix: string
  }
  interface Subjects {
    invoice: true
  }
}

declare module '#kernel/modules/events.ts' {
  interface Events {
    /** Created by a user, from another document, or by its series. */
    'invoice.created': { invoice_id: number }
    'invoice.sent': { invoice_id: number }
    'invoice.paid': { invoice_id: number }
    'invoice.voided': { invoice_id: number }
  }
}

export default defineModule({
  key: 'invoices',
  title: 'Invoices',
  description: 'What customers owe the firm, once or in series.',
  position: 80,
  version: '1.9.3',
  path: '',
  category: 'Finance',
  uses: ['contacts', 'companies', 'resellers', 'products', 'payments', 'issued-documents', 'document-texts', 'e-invoices'],
  permissions,
  settings: {
    invoices_number_prefix: numberPrefix('INV-', 'invoice'),
  },
  subjects: { invoice: async () => (await import('./invoices.ts')).invoices },
  notifications: { category: 'billing', mentions: ['invoice'], kinds: () => import('./notifications.ts') },
  placeholders: () => import('./placeholders.ts'),
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  jobs: () => import('./jobs.ts'),
  widgets: () => import('./widgets.ts'),
  demo: () => import('./demo/invoices.ts'),
})
