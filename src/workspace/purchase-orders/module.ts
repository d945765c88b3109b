import { defineModule, numberPrefix, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('purchase orders'),
  update: 'Change drafts and add notes',
  assign: 'See everybody’s purchase orders and assign them',
  send: 'Send and mail purchase orders to vendors',
  receive: 'Receive what was ordered',
  cancel: 'Cancel purchase orders',
  convert: 'Convert purchase orders to expenses',
  export: 'Export purchase orders',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'purchase-orders', typeof permissions> {}
  interface WorkspaceSettings {
    purchase_orders_number_prefix: string
  }
  interface Subjects {
    purchase_order: true
  }
}

declare module '#kernel/modules/events.ts' {
  interface Events {
    /** Received completely; partial receipts emit no event. */
    'purchase_order.received': { purchase_order_id: number }
    'purchase_order.cancelled': { purchase_order_id: number }
  }
}

export default defineModule({
  key: 'purchase-orders',
  title: 'Purchase orders',
  description: 'What the firm orders from its vendors, from draft to receipt.',
  position: 110,
  version: '1.0.0',
  category: 'Purchasing and stock',
  requires: ['vendors'],
  uses: ['products', 'warehouses', 'inventory', 'expenses', 'issued-documents', 'document-texts'],
  permissions,
  settings: {
    purchase_orders_number_prefix: numberPrefix('PO-', 'purchase order'),
  },
  subjects: { purchase_order: async () => (await import('./orders.ts')).orders },
  notifications: { category: 'billing', mentions: ['purchase_order'], kinds: () => import('./notifications.ts') },
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  widgets: () => import('./widgets.ts'),
  demo: () => import('./demo.ts'),
})
