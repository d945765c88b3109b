import { machine } from '#kernel/records/machine.ts'

/** A received invoice is booked as an expense, closed otherwise, or rejected. */
export const lifecycle = machine('incoming invoice', {
  states: ['received', 'booked', 'closed', 'rejected'],
  initial: 'received',
  moves: {
    book: { from: ['received'], to: 'booked', follows: true },
    close: { from: ['received'], to: 'closed' },
    reject: { from: ['received'], to: 'rejected', follows: true },
    reject_booked: { from: ['booked'], to: 'rejected', follows: true }, // once its expense is deleted
    reopen: { from: ['closed', 'rejected'], to: 'received' },
  },
})
