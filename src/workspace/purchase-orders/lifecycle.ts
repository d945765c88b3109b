/** States of a purchase order, moves between them, and their permissions (PO-23 … PO-28, PO-34). */
import { machine } from '#kernel/records/machine.ts'

export const lifecycle = machine('purchase order', {
  states: ['draft', 'sent', 'partially_received', 'received', 'cancelled'],
  initial: 'draft',
  moves: {
    send: { from: ['draft'], to: 'sent', allow: 'purchase-orders.send' },
    receive_partially: {
      from: ['sent'],
      to: 'partially_received',
      allow: 'purchase-orders.receive',
      title: 'Mark as partially received',
      says: 'Notes that part of the goods came. Nothing goes into stock by it: all lines do once the whole order is received.',
    },
    receive: { from: ['sent', 'partially_received'], to: 'received', allow: 'purchase-orders.receive' },
    cancel: { from: ['draft', 'sent', 'partially_received'], to: 'cancelled', allow: 'purchase-orders.cancel' },
  },
})
