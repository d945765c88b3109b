/** States of a task. Every transition is allowed: done tasks are reopened, cancelled ones resumed. */
import { machine } from '#kernel/records/machine.ts'

export const lifecycle = machine('task', {
  states: ['todo', 'in_progress', 'done', 'cancelled'],
  initial: 'todo',
  moves: {
    reopen: { from: ['in_progress', 'done', 'cancelled'], to: 'todo' },
    start: { from: ['todo', 'done', 'cancelled'], to: 'in_progress' },
    finish: { from: ['todo', 'in_progress', 'cancelled'], to: 'done' },
    cancel: { from: ['todo', 'in_progress', 'done'], to: 'cancelled' },
  },
})

export const openStates = ['todo', 'in_progress'] as const satisfies (typeof lifecycle.states)[number][]
