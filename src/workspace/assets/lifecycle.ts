/** States of an asset. Any may follow any other: a lost asset can be found, a retired one be used again. */
import { machine } from '#kernel/records/machine.ts'

export const lifecycle = machine('asset', {
  states: ['available', 'in_use', 'in_repair', 'lost', 'retired'],
  initial: 'available',
  moves: {
    put_away: { from: ['in_use', 'in_repair', 'lost', 'retired'], to: 'available' },
    put_to_use: { from: ['available', 'in_repair', 'lost', 'retired'], to: 'in_use' },
    repair: { from: ['available', 'in_use', 'lost', 'retired'], to: 'in_repair' },
    report_lost: { from: ['available', 'in_use', 'in_repair', 'retired'], to: 'lost' },
    retire: { from: ['available', 'in_use', 'in_repair', 'lost'], to: 'retired' },
  },
})
