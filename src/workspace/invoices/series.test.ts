/** Series of invoices: when they begin, what they issue and when, and how they end. The clock is set by hand. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Person, type Reply, startTest, type Workspace } from '#test/harness.ts'
import { findDue, issueDue } from './issuing.ts'
import { beginning, occurrenceOn } from './recurrence.ts'

const world = await startTest()
let firm: Workspace
let owner: Person

before(async () => {
  firm = await world.workspace({ modules: ['invoices'] })
  owner = firm.owner
})
beforeEach(() => at('2026-01-31'))
after(() => world.clock.set(new Date().toISOString()))

const at = (day: string, time = '12:00:00') => world.clock.set(`${day}T${time}.000Z`)
const attempt = () => ({ signal: new AbortController().signal, module: undefined })
/** What happens every minute. */
async function minute() {
  await findDue.handle(world.services, { data: { after: 0 } }, attempt())
  await world.drain()
}

const monthly = { is_recurring: true, recurrence_frequency: 'monthly', recurrence_next_issue_on: '2026-02-28' }
const body = (more: object = {}) => ({
  ...{ title: 'Rent', issue_date: '2026-01-31', due_date: '2026-02-14', lines: [{ name: 'Flat', quantity: 1, unit_price: 900 }] },
  ...{ ...monthly, ...more },
})
const draft = async (more: object = {}, by = owner) => {
  const { status, body: reply } = await by.post('/invoices', body(more))
  assert.equal(status, 201, JSON.stringify(reply.errors))
  return reply.data
}
const begun = async (more: object = {}, by = owner) => (await by.post(`/invoices/${(await draft(more, by)).id}/send`)).body.data
const read = async (id: number) => (await owner.get(`/invoices/${id}`)).body.data
/** What a series has issued, by date. */
const issued = (rootId: number) =>
  world.sql(
    `SELECT id::int, occurrence_on::text AS "on", due_date::text AS due, status, total::float, number FROM invoices
     WHERE recurring_source_invoice_id = $1 ORDER BY occurrence_on`,
    [rootId],
  )
const dates = async (rootId: number) => (await issued(rootId)).map(({ on }) => on)
const told = async (id: number) =>
  (await owner.get(`/invoices/${id}/timeline`)).body.data.map(({ type }: { type: string }) => type).toReversed()
const refused = async (asked: Promise<Reply>, ...fields: string[]) => {
  const { status, body: reply } = await asked
  assert.deepEqual([status, Object.keys(reply.errors ?? {}).sort()], [422, fields.sort()], reply.message)
}

describe('the dates of a series', () => {
  it('keep to the day of the month, clamped to its end', () => {
    const days = (frequency: Parameters<typeof occurrenceOn>[1], anchor: string) =>
      [1, 2, 3].map((n) => occurrenceOn(anchor, frequency, n))
    assert.deepEqual(days('monthly', '2026-01-31'), ['2026-02-28', '2026-03-31', '2026-04-30'])
    assert.deepEqual(days('quarterly', '2025-11-30'), ['2026-02-28', '2026-05-30', '2026-08-30'])
    assert.deepEqual(days('semi_annually', '2025-08-31'), ['2026-02-28', '2026-08-31', '2027-02-28'])
    assert.deepEqual(days('yearly', '2024-02-29'), ['2025-02-28', '2026-02-28', '2027-02-28'])
    assert.deepEqual(days('weekly', '2026-12-25'), ['2027-01-01', '2027-01-08', '2027-01-15'])
  })

  it('begin where they were chosen to, after the day of issue, else one period later', () => {
    const next = (issuedOn: string, chosen: string) => beginning(issuedOn, 'monthly', chosen).recurrence_next_issue_on
    assert.equal(next('2026-01-10', '2026-01-20'), '2026-01-20')
    for (const chosen of ['2026-01-10', '2026-01-02']) assert.equal(next('2026-01-10', chosen), '2026-02-10')
  })
})

describe('a recurring draft', () => {
  it('names what it lacks, and dates that are out of order', async () => {
    const post = (more: object) => owner.post('/invoices', body(more))
    const bare = { recurrence_frequency: undefined, recurrence_next_issue_on: undefined }
    await refused(post(bare), 'recurrence_frequency', 'recurrence_next_issue_on')
    await refused(post({ recurrence_frequency: 'daily' }), 'recurrence_frequency')
    await refused(post({ recurrence_next_issue_on: '2026-01-31' }), 'recurrence_next_issue_on')
    await refused(post({ issue_date: null, due_date: null, recurrence_next_issue_on: '2026-01-31' }), 'recurrence_next_issue_on')
    await refused(post({ recurrence_ends_on: '2026-02-27' }), 'recurrence_ends_on')
  })

  it('waits until it is sent, and can be made an ordinary one again', async () => {
    const invoice = await draft({ recurrence_ends_on: '2026-12-31' })
    assert.equal(invoice.recurrence_status, 'pending')
    await refused(owner.put(`/invoices/${invoice.id}`, { issue_date: '2026-03-01', due_date: null }), 'recurrence_next_issue_on')
    await refused(owner.post(`/invoices/${invoice.id}/recurrence/stop`), 'recurrence_status')
    const { body: plain } = await owner.put(`/invoices/${invoice.id}`, { is_recurring: false })
    const { recurrence_status, recurrence_frequency, recurrence_next_issue_on, recurrence_ends_on } = plain.data
    assert.deepEqual(
      [recurrence_status, recurrence_frequency, recurrence_next_issue_on, recurrence_ends_on],
      [null, null, null, null],
    )
    assert.equal((await owner.put(`/invoices/${invoice.id}`, monthly)).body.data.recurrence_status, 'pending')
    assert.equal((await owner.post(`/invoices/${invoice.id}/void`)).body.data.recurrence_status, 'ended')
  })
})

describe('a series', () => {
  it('issues an invoice on its day, owed at once, due after as many days, and tells so', async () => {
    const root = await begun()
    assert.deepEqual([root.status, root.recurrence_status, root.recurrence_next_issue_on], ['unpaid', 'active', '2026-02-28'])
    at('2026-02-27', '23:59:59')
    await minute()
    assert.deepEqual(await dates(root.id), [])
    at('2026-02-28', '00:00:00')
    await minute()
    await minute()
    const [invoice, ...more] = await issued(root.id)
    assert.deepEqual(
      [invoice.on, invoice.due, invoice.status, invoice.total, more],
      ['2026-02-28', '2026-03-14', 'unpaid', 900, []],
    )
    const made = await read(invoice.id)
    assert.deepEqual(made.recurring_source, { id: root.id, number: root.number, title: 'Rent' })
    assert.deepEqual([made.is_recurring, made.recurrence_status, made.lines[0].name, made.creator], [false, null, 'Flat', null])
    assert.deepEqual(await told(invoice.id), ['created'])
    assert.deepEqual(await told(root.id), ['created', 'status_changed', 'recurrence_started', 'recurrence_generated'])
    const after = await read(root.id)
    assert.equal(after.recurrence_next_issue_on, '2026-03-31')
    assert.deepEqual(after.latest_unpaid_generated_invoice, { id: invoice.id, number: invoice.number, status: 'unpaid' })
    assert.deepEqual(after.activities[0].properties, { invoice_id: invoice.id, number: invoice.number })
  })

  it('catches up with what was missed, one after the other', async () => {
    const root = await begun()
    at('2026-07-15')
    await minute()
    assert.deepEqual(await dates(root.id), ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30'])
    const numbers = (await issued(root.id)).map(({ number }) => number)
    assert.deepEqual(numbers, numbers.toSorted())
  })

  it('that is begun in the past needs no minute', async () => {
    at('2026-05-10')
    const root = await begun()
    assert.deepEqual(await dates(root.id), [], 'never inside send')
    await world.drain()
    assert.equal((await dates(root.id)).length, 3)
  })

  it('keeps to the calendar of its workspace', async () => {
    const west = await world.workspace({ modules: ['invoices'], timezone: 'Pacific/Honolulu' })
    const root = await begun({}, west.owner)
    at('2026-02-28', '09:59:00')
    await minute()
    assert.deepEqual(await dates(root.id), [])
    at('2026-02-28', '10:00:00')
    await minute()
    assert.deepEqual(await dates(root.id), ['2026-02-28'])
  })

  it('is over after its last day', async () => {
    const root = await begun({ recurrence_ends_on: '2026-03-31' })
    at('2026-09-01')
    await minute()
    assert.deepEqual(await dates(root.id), ['2026-02-28', '2026-03-31'])
    const { recurrence_status, latest_unpaid_generated_invoice } = await read(root.id)
    assert.deepEqual([recurrence_status, latest_unpaid_generated_invoice], ['ended', null])
    assert.equal((await told(root.id)).at(-1), 'recurrence_stopped')
  })

  it('is one of the list’s roots, and stays one', async () => {
    const root = await begun()
    at('2026-03-01')
    await minute()
    const listed = async () =>
      (await owner.get('/invoices?recurring=true&per_page=100')).body.data.map(({ id }: { id: number }) => id)
    assert.ok((await listed()).includes(root.id))
    for (const { id } of await issued(root.id)) assert.equal((await listed()).includes(id), false)
  })

  it('rests while its root is deleted, and while the module is not installed', async () => {
    const root = await begun()
    await owner.del(`/invoices/${root.id}`)
    at('2026-03-01')
    await minute()
    assert.deepEqual(await dates(root.id), [])
    await owner.post(`/invoices/${root.id}/restore`)
    await minute()
    assert.deepEqual(await dates(root.id), ['2026-02-28'])
  })

  it('that cannot be continued keeps no other back', async () => {
    const [broken, sound] = [await begun(), await begun()]
    await world.sql('UPDATE invoices SET recurrence_anchor_on = NULL WHERE id = $1', [broken.id])
    at('2026-04-01')
    await minute()
    assert.deepEqual([await dates(broken.id), await dates(sound.id)], [[], ['2026-02-28', '2026-03-31']])
    await owner.post(`/invoices/${broken.id}/recurrence/stop`)
  })

  it('ends with its root', async () => {
    const root = await begun()
    await owner.post(`/invoices/${root.id}/void`)
    at('2026-04-01')
    await minute()
    assert.deepEqual(await dates(root.id), [])
    assert.equal((await read(root.id)).recurrence_status, 'ended')
  })

  it('never issues a date twice, with however many workers', async () => {
    const roots = await Promise.all([1, 2, 3, 4, 5, 6].map(() => begun({ recurrence_frequency: 'weekly' })))
    at('2026-06-30')
    const job = { data: {}, tenant_id: firm.id }
    await Promise.all([1, 2, 3, 4].map(() => issueDue.handle(world.services, job, attempt())))
    await minute()
    for (const root of roots) {
      const days = await dates(root.id)
      assert.deepEqual([days.length, new Set(days).size], [18, 18])
    }
    const [{ doubled }] = await world.sql(
      'SELECT count(*)::int - count(DISTINCT (tenant_id, number))::int AS doubled FROM invoices',
    )
    assert.equal(doubled, 0)
  })
})

describe('a stopped series', () => {
  const stop = (id: number, more: object = {}, by = owner) => by.post(`/invoices/${id}/recurrence/stop`, more)

  it('issues nothing more, and leaves what there is', async () => {
    const root = await begun()
    at('2026-03-01')
    await minute()
    assert.equal((await stop(root.id)).body.data.recurrence_status, 'ended')
    at('2026-08-01')
    await minute()
    assert.deepEqual(
      (await issued(root.id)).map(({ status }) => status),
      ['unpaid'],
    )
    assert.equal((await read(root.id)).status, 'unpaid')
    await refused(stop(root.id), 'recurrence_status')
    await refused(stop((await issued(root.id))[0].id), 'recurrence_status')
  })

  it('cancels, when asked, the latest one that nobody paid', async () => {
    const root = await begun()
    at('2026-05-01')
    await minute()
    const [first, second, third] = await issued(root.id)
    await world.sql('UPDATE invoices SET amount_paid = 1 WHERE id = $1', [third.id])
    await stop(root.id, { void_latest_unpaid: true })
    assert.deepEqual(
      (await issued(root.id)).map(({ status }) => status),
      ['unpaid', 'cancelled', 'unpaid'],
    )
    assert.deepEqual((await told(second.id)).slice(-2), ['status_changed', 'voided'])
    assert.deepEqual(await told(first.id), ['created'])
  })

  it('needs the permission to void for that, and stops nothing without it', async () => {
    const root = await begun({ assigned_to: null })
    at('2026-03-01')
    await minute()
    const clerk = await firm.user(['invoices.update', 'invoices.assign'])
    assert.equal((await stop(root.id, { void_latest_unpaid: true }, clerk)).status, 403)
    assert.equal((await read(root.id)).recurrence_status, 'active')
    assert.equal((await stop(root.id, {}, clerk)).status, 200)
  })
})
