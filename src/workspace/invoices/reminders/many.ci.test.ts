/**
 * Many overdue invoices and two workers, in the nights of the clock changes. REMINDERS sets how many; `.ci/run` uses 2,000 and
 * prints the rate per minute.
 */
// CI stage: kills
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'
import { copyInvoice } from '#test/many-invoices.ts'

const world = await startTest()
const COUNT = Number(process.env.REMINDERS ?? 2000)
const PAID = 5
let firm: Workspace

before(async () => {
  world.clock.set('2027-03-20T06:00:00.000Z')
  firm = await world.workspace({ modules: ['payments', 'invoices', 'contacts'], timezone: 'Europe/Berlin' })
  const { id: contact_id } = (await firm.owner.post('/contacts', { name: 'Ann', email: 'ann@firm.test' })).body.data
  const steps = [{ days: 3 }, { days: 220 }]
  assert.equal((await firm.owner.post('/reminder-plans', { name: 'Mild', steps, is_active: true })).status, 201)
  const lines = [{ name: 'Oak desk', quantity: 1, unit_price: 100, tax_rate: 19 }]
  const body = { title: 'Desks', issue_date: '2027-03-01', due_date: '2027-03-25', contact_id, lines }
  const { id } = (await firm.owner.post('/invoices', body)).body.data
  assert.equal((await firm.owner.post(`/invoices/${id}/send`)).status, 200)
  await nights('2027-03-21T08:00:00.000Z', 1) // the first run only lists
  await copyInvoice(world, id, COUNT)
})

/** Two workers look for work every minute from an instant onwards. */
async function nights(from: string, minutes: number) {
  for (let minute = 0; minute < minutes; minute++) {
    world.clock.set(new Date(Date.parse(from) + minute * 60_000).toISOString())
    await Promise.all([world.drain('due'), world.drain('due')])
  }
}

const reminded = async (days: number) =>
  (
    await world.sql(
      `SELECT count(*)::int AS n, count(DISTINCT invoice_id)::int AS invoices, count(DISTINCT email_log_uuid)::int AS mails,
         min(created_at)::text AS first FROM invoice_reminders WHERE tenant_id = $1 AND days = $2 AND status = 'sent'`,
      [firm.id, days],
    )
  )[0]

it(`reminds of each of ${COUNT} invoices once in each of the two nights, and of none that was paid in that minute`, async (t) => {
  // 09:00 in Berlin was 08:00 in UTC the day before, and is 07:00 now.
  await nights('2027-03-28T00:59:00.000Z', 2)
  await nights('2027-03-28T06:59:00.000Z', 1)
  assert.equal((await reminded(3)).n, 0)
  world.clock.set('2027-03-28T07:00:00.000Z')
  const ids = await world.sql('SELECT id FROM invoices WHERE tenant_id = $1 ORDER BY id DESC LIMIT $2', [firm.id, 2 * PAID])
  const pay = async ({ id }: { id: number }) => {
    const allocations = [{ invoice_id: Number(id), amount: 119 }]
    const { status } = await firm.owner.post('/payments', { amount: 119, currency: 'USD', method: 'cash', allocations })
    assert.equal(status, 201)
  }
  for (const one of ids.slice(0, PAID)) await pay(one)
  const began = performance.now()
  const meanwhile = ids.slice(PAID).map(pay)
  await nights('2027-03-28T07:00:00.000Z', 1)
  const minutes = (performance.now() - began) / 60_000
  await Promise.all(meanwhile)
  await nights('2027-03-28T07:01:00.000Z', 1)
  await nights('2027-03-28T08:00:00.000Z', 1)
  const { n, invoices, mails, first } = await reminded(3)
  t.diagnostic(`${Math.round(n / minutes)} a minute, mails drawn and delivered`)
  assert.ok(n >= COUNT - 2 * PAID && n <= COUNT - PAID, `${n} of ${COUNT}`)
  assert.deepEqual([invoices, mails, first.slice(0, 16)], [n, n, '2027-03-28 07:00'])
  const paid = await world.sql('SELECT 1 FROM invoice_reminders WHERE invoice_id = ANY ($1)', [
    ids.slice(0, PAID).map(({ id }) => id),
  ])
  assert.deepEqual(paid, [])
  // The hour that occurs twice.
  await nights('2027-10-31T00:30:00.000Z', 1)
  await nights('2027-10-31T01:30:00.000Z', 1)
  assert.equal((await reminded(220)).n, 0)
  await nights('2027-10-31T08:00:00.000Z', 2)
  await nights('2027-10-31T09:00:00.000Z', 1)
  const second = await reminded(220)
  assert.deepEqual([second.n, second.invoices, second.mails], Array(3).fill(COUNT - 2 * PAID))
})
