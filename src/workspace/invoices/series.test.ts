/** Series of invoices: when they begin, what they issue and when, and how they end. The tests set the clock. */
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
after(() => world.clock.set(undefined))

const at = (day: string, time = '12:00:00') => world.clock.set(`${day}T${time}.000Z`)
const attempt = () => ({ signal: new AbortController().signal, module: undefined })
/** Runs the job of each minute. */
async function minute() {
  await findDue.handle(world.services, { data: { after: 0 } }, attempt())
  await world.drain()
}

/** Runs the job once in the workspace. */
const round = () => issueDue.handle(world.services, { data: { after: 0, issued: false }, tenant_id: firm.id }, attempt())

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
/** The invoices of a series, by date. */
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
  it('keep to the day of the month, clamped to its end (INV-16)', () => {
    const days = (frequency: Parameters<typeof occurrenceOn>[1], anchor: string) =>
      [1, 2, 3].map((n) => occurrenceOn(anchor, frequency, n))
    assert.deepEqual(days('monthly', '2026-01-31'), ['2026-02-28', '2026-03-31', '2026-04-30'])
    assert.deepEqual(days('quarterly', '2025-11-30'), ['2026-02-28', '2026-05-30', '2026-08-30'])
    assert.deepEqual(days('semi_annually', '2025-08-31'), ['2026-02-28', '2026-08-31', '2027-02-28'])
    assert.deepEqual(days('yearly', '2024-02-29'), ['2025-02-28', '2026-02-28', '2027-02-28'])
    assert.deepEqual(days('weekly', '2026-12-25'), ['2027-01-01', '2027-01-08', '2027-01-15'])
  })

  it('begin where they were chosen to, after the day of issue, else one period later (INV-43)', () => {
    const next = (issuedOn: string, chosen: string) => beginning(issuedOn, 'monthly', chosen).recurrence_next_issue_on
    assert.equal(next('2026-01-10', '2026-01-20'), '2026-01-20')
    for (const chosen of ['2026-01-10', '2026-01-02']) assert.equal(next('2026-01-10', chosen), '2026-02-10')
  })
})

describe('what a series delivers', () => {
  it('moves on with it, and a month stays a month', async () => {
    const { id } = await begun({
      ...{ delivery_period_start: '2026-01-01', delivery_period_end: '2026-01-31', buyer_reference: 'B-1' },
    })
    await at('2026-04-01')
    await minute()
    const made = await world.sql(
      `SELECT delivery_period_start::text AS start, delivery_period_end::text AS end, buyer_reference AS reference FROM invoices
       WHERE recurring_source_invoice_id = $1 ORDER BY occurrence_on`,
      [id],
    )
    assert.deepEqual(made.map(Object.values), [
      ['2026-02-01', '2026-02-28', 'B-1'],
      ['2026-03-01', '2026-03-31', 'B-1'],
    ])
  })
})

describe('a recurring draft', () => {
  it('names what it lacks, and dates that are out of order (INV-16, INV-17, INV-18)', async () => {
    const post = (more: object) => owner.post('/invoices', body(more))
    const bare = { recurrence_frequency: undefined, recurrence_next_issue_on: undefined }
    await refused(post(bare), 'recurrence_frequency', 'recurrence_next_issue_on')
    await refused(post({ recurrence_frequency: 'daily' }), 'recurrence_frequency')
    await refused(post({ recurrence_next_issue_on: '2026-01-31' }), 'recurrence_next_issue_on')
    await refused(post({ issue_date: null, due_date: null, recurrence_next_issue_on: '2026-01-31' }), 'recurrence_next_issue_on')
    await refused(post({ recurrence_ends_on: '2026-02-27' }), 'recurrence_ends_on')
  })

  it('waits until it is sent, and can be made an ordinary one again (INV-19, INV-42)', async () => {
    const invoice = await draft({ recurrence_ends_on: '2026-12-31' })
    assert.equal(invoice.recurrence_status, 'pending')
    await refused(owner.put(`/invoices/${invoice.id}`, { issue_date: '2026-03-01', due_date: null }), 'recurrence_next_issue_on')
    await refused(owner.post(`/invoices/${invoice.id}/recurrence/stop`), 'recurrence_status')
    const { body: plain } = await owner.put(`/invoices/${invoice.id}`, { is_recurring: false })
    const { recurrence_status, recurrence_frequency, recurrence_next_issue_on, recurrence_ends_on } = plain.data
    assert.deepEqual(
      { recurrence_status, recurrence_frequency, recurrence_next_issue_on, recurrence_ends_on },
      { recurrence_status: null, recurrence_frequency: null, recurrence_next_issue_on: null, recurrence_ends_on: null },
    )
    assert.equal((await owner.put(`/invoices/${invoice.id}`, monthly)).body.data.recurrence_status, 'pending')
    assert.equal((await owner.post(`/invoices/${invoice.id}/void`)).body.data.recurrence_status, 'ended')
  })
})

/** Copies bypass the table's triggers, which a cluster doesn't allow. */
const skip = Boolean(process.env.CITUS_NODES) && 'not on a cluster'

describe('the bounds of series', () => {
  const weeksAgo = (weeks: number) => Temporal.PlainDate.from('2026-01-31').subtract({ weeks }).toString()
  const since = (next: string, recurrence_frequency = 'weekly') =>
    body({
      ...{ issue_date: '0001-01-01', due_date: '0001-01-15', recurrence_frequency, recurrence_next_issue_on: next },
    })

  it('let one begin with sixty invoices that are due already, and no more', async () => {
    for (const { next, frequency } of [
      { next: '0001-01-08', frequency: 'weekly' },
      { next: weeksAgo(60), frequency: 'weekly' },
      { next: '2021-02-27', frequency: 'monthly' },
      { next: '1966-01-30', frequency: 'yearly' },
    ] as const) {
      const { status, body: reply } = await owner.post('/invoices', since(next, frequency))
      assert.deepEqual([status, Object.keys(reply.errors ?? {})], [422, ['recurrence_next_issue_on']], next)
      assert.match(reply.errors!.recurrence_next_issue_on![0]!, /^Must be \d{4}-\d\d-\d\d or later: .*60/)
    }
    for (const { next, frequency } of [
      { next: weeksAgo(59), frequency: 'weekly' },
      { next: '2021-02-28', frequency: 'monthly' },
      { next: '1967-01-31', frequency: 'yearly' },
    ] as const) {
      const { id } = (await owner.post('/invoices', since(next, frequency))).body.data
      assert.equal((await owner.post(`/invoices/${id}/send`)).status, 200)
      for (let n = 0; n < 62; n++) await round()
      assert.equal((await dates(id)).length, 60, frequency)
    }
  })

  it('hold for a draft that is sent later, and it can be sent once it is changed', async () => {
    const late = (await owner.post('/invoices', since(weeksAgo(59)))).body.data
    at('2026-02-07')
    await refused(owner.post(`/invoices/${late.id}/send`), 'recurrence_next_issue_on')
    assert.equal((await read(late.id)).status, 'draft')
    await owner.put(`/invoices/${late.id}`, { recurrence_next_issue_on: '2026-02-14' })
    assert.equal((await owner.post(`/invoices/${late.id}/send`)).status, 200)
  })

  it('hold up no change of a draft but of its plan, once they have passed (INV-17)', async () => {
    const dates = { issue_date: null, due_date: null }
    const { id } = await draft(dates)
    at('2026-03-05')
    const put = (changes: object) => owner.put(`/invoices/${id}`, changes)
    for (const changes of [{ title: 'Rent of a flat' }, body(dates)]) {
      const { status, body: reply } = await put(changes)
      assert.equal(status, 200, JSON.stringify(reply.errors))
    }
    assert.partialDeepStrictEqual(await read(id), { ...monthly, title: 'Rent', recurrence_status: 'pending' })
    await refused(put({ recurrence_ends_on: '2026-12-31' }), 'recurrence_next_issue_on')
    await refused(put({ recurrence_next_issue_on: '2026-03-01' }), 'recurrence_next_issue_on')
    assert.equal((await put({ recurrence_next_issue_on: '2026-03-31' })).status, 200)
    assert.equal((await put({ is_recurring: false })).body.data.recurrence_next_issue_on, null)
  })

  it('keep the days until an invoice is due within ten years, so that no occurrence is due beyond the calendar', async () => {
    await refused(owner.post('/invoices', body({ due_date: '9999-12-31' })), 'due_date')
    await refused(owner.post('/invoices', body({ issue_date: null, due_date: '9999-12-31' })), 'due_date')
    assert.equal((await owner.post('/invoices', body({ due_date: '9999-12-31', is_recurring: false }))).status, 201)
    const plain = await draft({ due_date: '9999-12-31', is_recurring: false })
    await refused(owner.put(`/invoices/${plain.id}`, monthly), 'due_date')
    assert.equal(occurrenceOn('9999-12-31', 'monthly', 1), '9999-12-31')
    const root = await begun()
    await world.sql(`UPDATE invoices SET due_date = '9999-12-31' WHERE id = $1`, [root.id])
    at('2026-02-28')
    await minute()
    assert.deepEqual(
      (await issued(root.id)).map(({ due }) => due),
      ['9999-12-31'],
    )
  })

  it('give every workspace its turn after a batch of another', async () => {
    const [busy, quiet] = [await world.workspace({ modules: ['invoices'] }), await world.workspace({ modules: ['invoices'] })]
    for (let n = 0; n < 4; n++) await begun({ recurrence_frequency: 'weekly' }, busy.owner)
    const root = await begun({}, quiet.owner)
    at('2026-06-30')
    await minute()
    const [{ before, all }] = await world.sql(
      `SELECT count(*) FILTER (WHERE id < (SELECT min(id) FROM invoices WHERE recurring_source_invoice_id = $2))::int AS before,
         count(*)::int AS "all" FROM invoices WHERE tenant_id = $1 AND recurring_source_invoice_id IS NOT NULL`,
      [busy.id, root.id],
    )
    assert.equal(all, 4 * 18)
    assert.ok(before <= 25, `${before} of another workspace came first`)
  })

  it('are 10,000 active series of a workspace', { skip }, async () => {
    const many = await world.workspace({ modules: ['invoices'] })
    const root = await begun({}, many.owner)
    await copies(root.id, 9_999, `recurrence_status = 'active'`)
    const [late, plain] = [await draft({}, many.owner), await draft({ is_recurring: false }, many.owner)]
    await refused(many.owner.post(`/invoices/${late.id}/send`), 'is_recurring')
    assert.equal((await many.owner.post(`/invoices/${plain.id}/send`)).status, 200)
    assert.equal((await many.owner.post(`/invoices/${root.id}/recurrence/stop`)).status, 200)
    const another = await draft({}, many.owner)
    const sent = await Promise.all([late, another].map(({ id }) => many.owner.post(`/invoices/${id}/send`)))
    assert.deepEqual(sent.map(({ status }) => status).sort(), [200, 422], 'two at once for one place')
    await world.sql('DELETE FROM invoices WHERE tenant_id = $1', [many.id])
  })

  it('are 20,000 occurrences of a workspace in a day; the rest comes the day after', { skip }, async () => {
    const many = await world.workspace({ modules: ['invoices'] })
    const root = await begun({ recurrence_frequency: 'weekly' }, many.owner)
    at('2026-03-28')
    await copies(
      root.id,
      19_998,
      `is_recurring = false, recurrence_status = null, recurrence_frequency = null, recurrence_next_issue_on = null,
       recurring_source_invoice_id = ${root.id}, occurrence_on = date '1900-01-01' + n, created_at = '2026-03-28T00:00:00Z'`,
    )
    const made = async () => (await dates(root.id)).filter((on) => on > '2026').length
    for (let n = 0; n < 3; n++) await minute()
    assert.equal(await made(), 2)
    at('2026-03-29', '00:00:00')
    await minute()
    assert.equal(await made(), 5)
    await world.sql('DELETE FROM invoices WHERE tenant_id = $1', [many.id])
  })

  /** Inserts copies of an invoice, bypassing the table's triggers. */
  const copies = (id: number, n: number, changes: string) =>
    world.sql(`
      ALTER TABLE invoices DISABLE TRIGGER USER;
      CREATE TEMP TABLE copy (LIKE invoices INCLUDING DEFAULTS INCLUDING GENERATED);
      ALTER TABLE copy ADD n int;
      INSERT INTO copy (${COPIED}, id, number, n)
        SELECT ${COPIED}, 1000000 + n, 'COPY-' || n, n FROM invoices, generate_series(1, ${n}) n WHERE id = ${id};
      UPDATE copy SET ${changes};
      INSERT INTO invoices (${COPIED}, id, number) SELECT ${COPIED}, id, number FROM copy;
      DROP TABLE copy;
      ALTER TABLE invoices ENABLE TRIGGER USER;`)
  const COPIED = `tenant_id, title, status, currency, issue_date, tax_rounding, subtotal, discount_total, tax_total, total, is_recurring,
    recurrence_frequency, recurrence_next_issue_on, recurrence_status, recurring_source_invoice_id, occurrence_on, created_at, updated_at`
})

describe('a series', () => {
  it('issues an invoice on its day, owed at once, due after as many days, and tells so (INV-20)', async () => {
    const root = await begun()
    assert.partialDeepStrictEqual(root, { status: 'unpaid', recurrence_status: 'active', recurrence_next_issue_on: '2026-02-28' })
    at('2026-02-27', '23:59:59')
    await minute()
    assert.deepEqual(await dates(root.id), [])
    at('2026-02-28', '00:00:00')
    await minute()
    await minute()
    const [invoice, ...more] = await issued(root.id)
    assert.deepEqual(
      { on: invoice.on, due: invoice.due, status: invoice.status, total: invoice.total, more },
      { on: '2026-02-28', due: '2026-03-14', status: 'unpaid', total: 900, more: [] },
    )
    const made = await read(invoice.id)
    assert.deepEqual(made.recurring_source, { id: root.id, number: root.number, title: 'Rent' })
    assert.deepEqual(
      {
        is_recurring: made.is_recurring,
        recurrence_status: made.recurrence_status,
        name: made.lines[0].name,
        creator: made.creator,
      },
      { is_recurring: false, recurrence_status: null, name: 'Flat', creator: null },
    )
    assert.deepEqual(await told(invoice.id), ['created'])
    assert.deepEqual(await told(root.id), ['created', 'status_changed', 'recurrence_started', 'recurrence_generated'])
    const after = await read(root.id)
    assert.equal(after.recurrence_next_issue_on, '2026-03-31')
    assert.deepEqual(after.latest_unpaid_generated_invoice, { id: invoice.id, number: invoice.number, status: 'unpaid' })
    assert.deepEqual(after.activities[0].properties, { invoice_id: invoice.id, number: invoice.number })
    const clerk = await firm.user(['invoices.view'])
    await owner.post(`/invoices/${root.id}/assign`, { assigned_to: clerk.id })
    const { activities } = (await clerk.get(`/invoices/${root.id}`)).body.data
    const { description, properties } = activities.find(({ type }: { type: string }) => type === 'recurrence_generated')
    assert.deepEqual([description, properties], ['Issued an invoice', { invoice_id: invoice.id }], 'which the clerk may not see')
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

  it('is over after its last day (INV-18)', async () => {
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
    await Promise.all([1, 2, 3, 4].map(round))
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

  it('issues nothing more, and leaves what there is (INV-44)', async () => {
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

  it('cancels, when asked, the latest one that nobody paid (INV-46, INV-47)', async () => {
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

  it('names none that the actor may not see, and stops nothing when that is to be cancelled (INV-46, INV-71)', async () => {
    const seller = await firm.user(['view', 'create', 'update', 'send', 'void'].map((action) => `invoices.${action}`))
    const root = await begun({}, seller)
    at('2026-03-01')
    await minute()
    const [made] = await issued(root.id)
    const latest = async () => (await seller.get(`/invoices/${root.id}`)).body.data.latest_unpaid_generated_invoice
    assert.equal((await latest()).id, made.id)
    assert.equal((await owner.post(`/invoices/${made.id}/assign`, { assigned_to: owner.id })).status, 200)
    assert.equal(await latest(), null)
    await refused(stop(root.id, { void_latest_unpaid: true }, seller), 'void_latest_unpaid')
    assert.equal((await read(made.id)).status, 'unpaid')
    assert.equal((await read(root.id)).recurrence_status, 'active')
    assert.equal((await stop(root.id, {}, seller)).body.data.recurrence_status, 'ended')
    assert.equal((await read(made.id)).status, 'unpaid')
  })

  it('needs the permission to void for that, and stops nothing without it (INV-46)', async () => {
    const root = await begun({ assigned_to: null })
    at('2026-03-01')
    await minute()
    const clerk = await firm.user(['invoices.update', 'invoices.assign'])
    assert.equal((await stop(root.id, { void_latest_unpaid: true }, clerk)).status, 403)
    assert.equal((await read(root.id)).recurrence_status, 'active')
    assert.equal((await stop(root.id, {}, clerk)).status, 200)
  })
})
