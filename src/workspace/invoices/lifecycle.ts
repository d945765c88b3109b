/** States of an invoice, the transitions between them, and the permission of each (INV-37 … INV-40). */
import { machine } from '#kernel/records/machine.ts'

export const lifecycle = machine('invoice', {
  states: ['draft', 'unpaid', 'paid', 'cancelled'],
  initial: 'draft',
  moves: {
    send: { from: ['draft'], to: 'unpaid', allow: 'invoices.send' },
    void: { from: ['draft', 'unpaid'], to: 'cancelled', allow: 'invoices.void' },
    settle: { from: ['unpaid'], to: 'paid' },
    reopen: { from: ['paid'], to: 'unpaid', follows: true },
  },
})
