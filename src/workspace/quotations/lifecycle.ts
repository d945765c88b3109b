/** States of a quotation. A sent one is answered by the customer, or by staff on their behalf, or it expires (ACC-08). */
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
