/** States of a project and moves between them (PRJ-17 … PRJ-20), and its open states (PRJ-23). */
import { machine } from '#kernel/records/machine.ts'

export const lifecycle = machine('project', {
  states: ['planned', 'active', 'on_hold', 'completed', 'cancelled'],
  initial: 'planned',
  moves: {
    activate: { from: ['planned', 'on_hold'], to: 'active' },
    put_on_hold: { from: ['active'], to: 'on_hold' },
    complete: { from: ['active'], to: 'completed' },
    cancel: { from: ['planned', 'active', 'on_hold'], to: 'cancelled' },
  },
})

export const openStates = ['planned', 'active', 'on_hold'] as const satisfies (typeof lifecycle.states)[number][]
