/** Real workers that are killed while sending reminders: no reminder is lost, none is mailed twice. */
// CI stage: kills
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { startTest } from '#test/harness.ts'
import { copyInvoice } from '#test/many-invoices.ts'
import { KILLS, pause, QUICK_HEARTBEAT, workersOf } from '#test/worker-process.ts'
import { remindDaily } from './daily.ts'

const world = await startTest({ env: QUICK_HEARTBEAT })
const { start, end, endAll } = workersOf(world)
after(endAll)

/** More than a worker can process before it is killed. */
const OVERDUE = 250 * KILLS

it(`reminds of each of ${OVERDUE} invoices once, though ${KILLS} workers are killed in the middle of it`, async () => {
  const firm = await world.workspace({ modules: ['invoices', 'contacts'] })
  const { id: contact_id } = (await firm.owner.post('/contacts', { name: 'Ann', email: 'ann@firm.test' })).body.data
  const plan = (await firm.owner.post('/reminder-plans', { name: 'Mild', steps: [{ days: 7 }], is_active: true })).body.data.id
  await world.sql('UPDATE reminder_plans SET listed_at = now() WHERE id = $1', [plan])
  const due_date = Temporal.PlainDate.from(world.clock.now().slice(0, 10)).subtract({ days: 10 }).toString()
  const lines = [{ name: 'Oak desk', quantity: 1, unit_price: 100, tax_rate: 19 }]
  const { id } = (await firm.owner.post('/invoices', { title: 'Cleaning', issue_date: due_date, due_date, contact_id, lines }))
    .body.data
  assert.equal((await firm.owner.post(`/invoices/${id}/send`)).status, 200)
  await copyInvoice(world, id, OVERDUE)
  const counts = async () =>
    (
      await world.sql(
        `SELECT count(*)::int AS n, count(DISTINCT invoice_id)::int AS invoices,
           (SELECT count(*)::int FROM email_logs WHERE tenant_id = $1 AND notification_type = 'customer_invoice.reminded') AS mails
         FROM invoice_reminders WHERE tenant_id = $1`,
        [firm.id],
      )
    )[0] as { n: number; invoices: number; mails: number }
  const attempt = { signal: new AbortController().signal, module: undefined }
  const beginAnew = () => remindDaily.handle(world.services, { tenant_id: firm.id, data: {} }, attempt)
  let before = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const worker = await start()
    await beginAnew()
    const began = performance.now()
    while ((await counts()).n === before && performance.now() - began < 20_000) await pause(10)
    await end(worker, 'SIGKILL')
    before = (await counts()).n
    assert.ok(before < OVERDUE, 'killed too late to show anything')
  }
  // The killed worker's job is considered running until it expires; the next morning finds the rest.
  const pair = await Promise.all([start(), start()])
  while ((await counts()).n < OVERDUE) {
    await beginAnew()
    await pause(200)
  }
  for (const worker of pair) await end(worker, 'SIGTERM')
  await beginAnew()
  await world.drain()
  assert.deepEqual(await counts(), { n: OVERDUE, invoices: OVERDUE, mails: OVERDUE })
})
