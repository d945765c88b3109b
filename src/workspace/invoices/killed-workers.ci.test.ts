/** Real workers that are killed while they issue series: no occurrence is lost, none is duplicated. */
// CI stage: kills
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { startTest } from '#test/harness.ts'
import { KILLS, pause, QUICK_HEARTBEAT, workersOf } from '#test/worker-process.ts'
import { findDue } from './issuing.ts'

const world = await startTest({ env: QUICK_HEARTBEAT })
const { start, end, endAll } = workersOf(world)
after(endAll)

const SERIES = 13 * KILLS
/** Enough that the last worker is killed long before the last date. */
const WEEKS = 20

const counts = async () => {
  const [row] = await world.sql(`
    SELECT count(*)::int AS made, count(DISTINCT (recurring_source_invoice_id, occurrence_on))::int AS different, count(DISTINCT number)::int AS numbers
    FROM invoices WHERE recurring_source_invoice_id IS NOT NULL`)
  return row as { made: number; different: number; numbers: number }
}
const sendDue = () =>
  findDue.handle(world.services, { data: { after: 0 } }, { signal: new AbortController().signal, module: undefined })

it(`issues each date of ${SERIES} series once, though ${KILLS} workers are killed in the middle of it`, async () => {
  const firm = await world.workspace({ modules: ['invoices'] })
  const today = Temporal.PlainDate.from(world.clock.now().slice(0, 10))
  const first = today.subtract({ weeks: WEEKS - 1 })
  const body = {
    title: 'Cleaning',
    issue_date: first.subtract({ days: 3 }).toString(),
    is_recurring: true,
    recurrence_frequency: 'weekly',
    recurrence_next_issue_on: first.toString(),
    lines: [{ name: 'Rooms', quantity: 3, unit_price: 12.5 }],
  }
  for (let n = 0; n < SERIES; n++) {
    const { id } = (await firm.owner.post('/invoices', body)).body.data
    assert.equal((await firm.owner.post(`/invoices/${id}/send`)).status, 200)
  }
  let before = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const worker = await start()
    while ((await counts()).made === before) await pause(10)
    await pause(Math.random() * 100)
    await end(worker, 'SIGKILL')
    before = (await counts()).made
    assert.ok(before < SERIES * WEEKS, 'killed too late to show anything')
  }
  // The queue considers the killed worker's job running until it expires; the next minute's job finds the same work.
  const pair = await Promise.all([start(), start()])
  while ((await counts()).made < SERIES * WEEKS) {
    await sendDue()
    await pause(100)
  }
  for (const worker of pair) await end(worker, 'SIGTERM')
  await sendDue()
  await world.drain()
  const { made, different, numbers } = await counts()
  assert.deepEqual([made, different, numbers], [SERIES * WEEKS, SERIES * WEEKS, SERIES * WEEKS])
})
