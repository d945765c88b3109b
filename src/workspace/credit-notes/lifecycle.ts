import { machine } from '#kernel/records/machine.ts'

/** How much of an issued credit note is applied is an amount, not a state of its own. */
export const lifecycle = machine('credit note', {
  states: ['draft', 'issued', 'voided'],
  initial: 'draft',
  moves: {
    issue: { from: ['draft'], to: 'issued' },
    void: { from: ['draft', 'issued'], to: 'voided' },
  },
})
