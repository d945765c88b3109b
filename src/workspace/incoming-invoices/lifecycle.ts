import { machine } from '#kernel/records/machine.ts'

/** What came in becomes an expense, or is dealt with otherwise, or isn't accepted. */
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
