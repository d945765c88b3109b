import { machine } from '#kernel/records/machine.ts'

export const states = ['draft', 'approved', 'paid'] as const
export type Status = (typeof states)[number]

export const lifecycle = machine('expense', {
  states,
  initial: 'draft',
  moves: {
    approve: { from: ['draft'], to: 'approved' },
    reopen: { from: ['approved'], to: 'draft' },
    pay: { from: ['approved'], to: 'paid' },
  },
})
