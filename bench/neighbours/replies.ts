/**
 * Heaviest permitted use of shared resources (issue S3): long replies, webhooks, bulk changes, by one, two and eight workspaces
 * at once.
 */
import { dataOf } from './api.ts'
import type { Attack, Attacker } from './attack.ts'

const COUNTS = [1, 2, 8]

/** Returns the attack by several numbers of workspaces. */
const byEach = (attack: Attack): Attack[] =>
  COUNTS.map((attackers) => ({ ...attack, attackers, does: `${attack.does}, ${attackers} workspaces` }))

const NOTES = 100

const longNotes: Attack = {
  finding: 'S3-H4',
  does: `pages of ${NOTES} notes of 65,535 characters`,
  atOnce: 3,
  pause: 0,
  async prepare(attacker) {
    const [{ id: vendor_id }] = await dataOf(attacker.get('/vendors?per_page=1'))
    const lines = [{ description: 'Desk', quantity: 1, unit_price: 1 }]
    const { id } = await dataOf(attacker.post('/purchase-orders', { vendor_id, title: 'Notes', lines }))
    const body = 'a note '.repeat(10_000).slice(0, 65_535)
    for (let n = 0; n < NOTES; n++) await dataOf(attacker.post(`/purchase-orders/${id}/notes`, { body }))
    return (n) => attacker.get(`/purchase-orders/${id}${['/notes?per_page=100', '/timeline?per_page=100', ''][n % 3]}`)
  },
}

const vendorsOf = async (attacker: Attacker, count: number): Promise<number[]> => {
  const made: number[] = []
  for (let n = 0; n < count; n++) made.push((await dataOf(attacker.post('/vendors', { name: `Told of ${n}` }))).id)
  return made
}

const webhooks: Attack = {
  finding: 'S3-H5',
  does: 'bulk changes of 100 records for 100 webhook endpoints',
  webhook: true,
  atOnce: 2,
  async prepare(attacker) {
    const made: number[] = []
    for (let n = 0; n < 100; n++) {
      const reply = await attacker.post('/webhook-endpoints', { url: attacker.receiver })
      if (reply.status === 201) made.push(reply.body.data.id)
    }
    attacker.onEnd(() => Promise.all(made.map((id) => attacker.delete(`/webhook-endpoints/${id}`))))
    const ids = await vendorsOf(attacker, 100)
    return (n) => attacker.post('/vendors/bulk', { ids, action: 'update', changes: { notes: `Change ${n}` } })
  },
}

const RECORDS = 20
const LINES = 1000

const bulk: Attack = {
  finding: 'S3-M2',
  does: `bulk changes of ${RECORDS} orders by ${LINES} lines`,
  atOnce: 1,
  async prepare(attacker) {
    const [{ id: vendor_id }] = await dataOf(attacker.get('/vendors?per_page=1'))
    const line = { description: 'Desk', quantity: 1, unit_price: 1 }
    const ids: number[] = []
    for (let n = 0; n < RECORDS; n++)
      ids.push((await dataOf(attacker.post('/purchase-orders', { vendor_id, title: `Bulk ${n}`, lines: [line] }))).id)
    const lines = Array.from({ length: LINES }, () => line)
    return () => attacker.post('/purchase-orders/bulk', { ids, action: 'update', changes: { lines } })
  },
}

export default [longNotes, webhooks, bulk].flatMap(byEach)
