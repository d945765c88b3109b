/** States of an estimate. Staff enter the customer's answer, or its last day passes. */
import { machine } from '#kernel/records/machine.ts'

export const lifecycle = machine('estimate', {
  states: ['draft', 'sent', 'accepted', 'declined', 'expired'],
  initial: 'draft',
  moves: {
    send: { from: ['draft'], to: 'sent' },
    accept: { from: ['sent'], to: 'accepted' },
    decline: { from: ['sent'], to: 'declined' },
    expire: { from: ['sent'], to: 'expired' },
  },
})
