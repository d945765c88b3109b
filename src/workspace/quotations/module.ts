import { defineModule, numberPrefix, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('quotations'),
  update: 'Change drafts and add notes',
  assign: 'See everybody’s quotations and assign them',
  send: 'Send and mail quotations, and make acceptance links',
  accept: 'Say that customers accepted or rejected quotations, and expire them',
  convert: 'Convert quotations to invoices',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'quotations', typeof permissions> {}
  interface WorkspaceSettings {
    quotations_number_prefix: string
  }
  interface Subjects {
    quotation: true
  }
}

declare module '#kernel/modules/events.ts' {
  interface Events {
    'quotation.sent': { quotation_id: number }
    /** By the customer, through an acceptance link, or by staff on their behalf. */
    'quotation.accepted': { quotation_id: number; by: 'customer' | 'staff' }
    'quotation.rejected': { quotation_id: number; reason: string | null }
    'quotation.expired': { quotation_id: number }
  }
}

export default defineModule({
  key: 'quotations',
  title: 'Quotations',
  description: 'What the firm offers its customers, from draft to acceptance.',
  position: 50,
  version: '1.9.0',
  category: 'Customers and sales',
  uses: ['acceptance', 'issued-documents', 'document-texts', 'contacts', 'companies', 'products', 'invoices'],
  permissions,
  settings: {
    quotations_number_prefix: numberPrefix('QT-', 'quotation'),
  },
  subjects: { quotation: async () => (await import('./quotations.ts')).quotations },
  notifications: { category: 'crm', mentions: ['quotation'], kinds: () => import('./notifications.ts') },
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
  widgets: () => import('./widgets.ts'),
  demo: () => import('./demo.ts'),
})
