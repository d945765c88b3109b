import { machine } from '#kernel/records/machine.ts'

/** A payment is posted when it is made; by being voided it stays on record and pays nothing any more (INV-40). */
export const lifecycle = machine('payment', {
  states: ['posted', 'voided'],
  initial: 'posted',
  moves: { void: { from: ['posted'], to: 'voided' } },
})
