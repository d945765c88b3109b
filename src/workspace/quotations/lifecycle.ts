/** The states of a quotation. Once it was sent, the customer or staff in their name answer it, or its last day passes (ACC-08). */
import { machine } from '#kernel/records/machine.ts'

export const lifecycle = machine('quotation', {
  states: ['draft', 'sent', 'accepted', 'rejected', 'expired'],
  initial: 'draft',
  moves: {
    send: { from: ['draft'], to: 'sent' },
    accept: { from: ['sent'], to: 'accepted' },
    reject: { from: ['sent'], to: 'rejected' },
    expire: { from: ['sent'], to: 'expired' },
  },
})
