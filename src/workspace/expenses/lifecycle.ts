import { machine } from '#kernel/records/machine.ts'

export const lifecycle = machine('expense', {
  states: ['draft', 'approved', 'paid'],
  initial: 'draft',
  moves: {
    approve: { from: ['draft'], to: 'approved', allow: 'expenses.approve' },
    reopen: { from: ['approved'], to: 'draft', allow: 'expenses.approve' },
    pay: { from: ['approved'], to: 'paid', allow: 'expenses.approve' },
  },
})
