/** The states of a purchase order and the moves between them (PO-23 … PO-28). */

import type { Permission } from '#kernel/modules/module.ts'
import { machine } from '#kernel/records/machine.ts'

export const STATUSES = ['draft', 'sent', 'partially_received', 'received', 'cancelled'] as const
export type Status = (typeof STATUSES)[number]

export const lifecycle = machine('purchase order', {
  states: STATUSES,
  initial: 'draft',
  moves: {
    send: { from: ['draft'], to: 'sent' },
    receive_partially: { from: ['sent'], to: 'partially_received' },
    receive: { from: ['sent', 'partially_received'], to: 'received' },
    cancel: { from: ['draft', 'sent', 'partially_received'], to: 'cancelled' },
  },
})

/** What POST /status needs, by target (PO-34). */
export const permissionFor: Record<Status, Permission> = {
  draft: 'purchase-orders.update',
  sent: 'purchase-orders.send',
  partially_received: 'purchase-orders.receive',
  received: 'purchase-orders.receive',
  cancelled: 'purchase-orders.cancel',
}
