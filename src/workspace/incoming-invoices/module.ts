import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('incoming invoices'),
  create: 'Read e-invoices in; those without problems become draft expenses',
  update: 'Match incoming invoices, make expenses of them, reject or close them, add notes',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'incoming-invoices', typeof permissions> {}
  interface Subjects {
    incoming_invoice: true
  }
}

export default defineModule({
  key: 'incoming-invoices',
  title: 'Incoming invoices',
  description: 'E-invoices that suppliers send: read, checked, matched to vendor and order, made into expenses.',
  position: 125,
  version: '1.0.0',
  category: 'Finance',
  requires: ['expenses'],
  uses: ['vendors', 'purchase-orders', 'storage', 'document-texts', 'email'],
  permissions,
  subjects: { incoming_invoice: async () => (await import('./incoming-invoices.ts')).incoming },
  notifications: { category: 'billing', mentions: ['incoming_invoice'] },
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
