/** States of a contract and the transitions between them (ACC-01 … ACC-03, ACC-06, ACC-07). */
import { machine } from '#kernel/records/machine.ts'

export const lifecycle = machine('contract', {
  states: ['draft', 'sent', 'active', 'expired', 'terminated'],
  initial: 'draft',
  moves: {
    send: { from: ['draft'], to: 'sent', allow: 'contracts.send' },
    accept: { from: ['sent'], to: 'active', allow: 'contracts.accept' },
    activate: { from: ['draft'], to: 'active' },
    expire: { from: ['sent', 'active'], to: 'expired' },
    terminate: { from: ['draft', 'sent', 'active'], to: 'terminated' },
  },
})
