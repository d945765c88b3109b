/** States of a transfer and the transitions between them (INVT-08, INVT-11 … INVT-14). */
import { machine } from '#kernel/records/machine.ts'

export const lifecycle = machine('transfer', {
  states: ['draft', 'in_transit', 'completed', 'cancelled'],
  initial: 'draft',
  moves: {
    dispatch: { from: ['draft'], to: 'in_transit' },
    complete: { from: ['in_transit'], to: 'completed' },
    cancel: { from: ['draft', 'in_transit'], to: 'cancelled' },
  },
})
