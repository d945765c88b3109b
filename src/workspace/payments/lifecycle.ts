import { machine } from '#kernel/records/machine.ts'

/** A payment is created as posted. A voided one stays on record but pays nothing (INV-40). */
export const lifecycle = machine('payment', {
  states: ['posted', 'voided'],
  initial: 'posted',
  moves: { void: { from: ['posted'], to: 'voided' } },
})
