/** Features of every list of records: export, import and bulk changes. */
// Also in CI: debian
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { type Person, startTest, type Workspace } from './harness.ts'

const world = await startTest()
let firm: Workspace

before(async () => {
  firm = await world.workspace({
    modules: [
      'vendors',
      'contacts',
      'companies',
      'projects',
      'expenses',
      'invoices',
      'documents',
      'purchase-orders',
      'leads',
      'communication-templates',
    ],
  })
})

const made = async (user: Person, path: string, body: object) => {
  const { status, body: reply } = await user.post(path, body)
  assert.equal(status, 201, JSON.stringify(reply))
  return reply.data
}

async function exportOf(user: Person, path: string, query: Record<string, string | number>) {
  const { status, raw, headers } = await user.get(`${path}/export`, { query })
  assert.equal(status, 200, raw.toString())
  return { text: raw.toString(), headers }
}

/** Returns the rows of an export by column title, without empty cells. */
async function exported(user: Person, path: string, query: Record<string, string | number> = {}) {
  const { text } = await exportOf(user, path, query)
  const rows = parse(text, { bom: true, columns: true }) as Record<string, string>[]
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')))
}

describe('an export', () => {
  it('has a row for each record, with what it refers to by name, as an import reads it', async () => {
    const vendor = await made(firm.owner, '/vendors', { name: '=Nord', notes: 'Two\nlines', is_active: false })
    const company = await made(firm.owner, '/companies', { name: 'Moorhen' })
    const twins = [await made(firm.owner, '/contacts', { name: 'Ann' }), await made(firm.owner, '/contacts', { name: 'Ann' })]
    const member = await firm.user(['projects.view'])
    await made(firm.owner, '/expenses', { title: 'Rail', amount: 10.5, vendor_id: vendor.id, expense_date: '2026-11-20' })
    await made(firm.owner, '/projects', {
      ...{ title: 'Pier', company_id: company.id, contact_id: twins[1].id, assigned_to: firm.owner.id },
      member_ids: [member.id],
    })
    const lines = [{ name: 'Oak', quantity: 2, unit_price: 3.5, tax_rate: 19 }]
    await made(firm.owner, '/invoices', { title: 'Desks', currency: 'EUR', company_id: company.id, lines })
    const [only] = await exported(firm.owner, '/vendors')
    assert.deepEqual([only!.Name, only!.Notes, only!.Active, only!.Creator], ["'=Nord", 'Two\nlines', 'false', firm.owner.email])
    const [expense] = await exported(firm.owner, '/expenses')
    assert.deepEqual([expense!.Vendor, expense!.Category, expense!.Amount], ["'=Nord", 'Other', '10.5'])
    const [project] = await exported(firm.owner, '/projects')
    const [{ mark }] = await world.sql('SELECT left(uuid::text, 8) AS mark FROM tenants WHERE id = $1', [firm.id])
    assert.deepEqual(
      [project!.Company, project!.Contact, project!['Assigned to'], project!.Members],
      ['Moorhen', `${twins[1].id}@${mark}`, firm.owner.email, member.email], // two contacts share the name, so it is ambiguous
    )
    const [invoice] = await exported(firm.owner, '/invoices')
    assert.deepEqual([invoice!.Company, invoice!.Total], ['Moorhen', '8.33'])
    assert.partialDeepStrictEqual(JSON.parse(invoice!.Lines!), [{ ...lines[0], sort_order: 0, discount_value: 0 }])
  })

  it('follows the filters and the sort of the list, and what the caller sees', async () => {
    const seller = await firm.user(['contacts.view', 'contacts.export'])
    for (const name of ['Cleo', 'Bert']) await made(firm.owner, '/contacts', { name, assigned_to: seller.id })
    const names = async (user: Person, query = {}) => (await exported(user, '/contacts', query)).map(({ Name }) => Name)
    assert.deepEqual(await names(seller, { sort: 'name' }), ['Bert', 'Cleo'])
    assert.deepEqual(await names(firm.owner, { search: 'cle' }), ['Cleo'])
    const reader = await firm.user(['contacts.view'])
    assert.equal((await reader.get('/contacts/export')).status, 403)
    assert.equal((await firm.owner.get('/contacts/export', { query: { sort: 'colour' } })).status, 422)
    assert.equal((await firm.owner.get('/contacts/export', { query: { format: 'pdf' } })).body.errors!.format!.length, 1)
  })

  it('as NDJSON has the rows of the list', async () => {
    const { id } = await made(firm.owner, '/leads', { name: 'Lena', lead_type: 'direct' })
    assert.equal((await firm.owner.post(`/leads/${id}/notes`, { body: 'Called.' })).status, 201)
    for (const path of ['/projects', '/expenses', '/invoices', '/users', '/contacts', '/leads']) {
      const { text, headers } = await exportOf(firm.owner, path, { format: 'ndjson' })
      assert.equal(headers['content-type'], 'application/x-ndjson; charset=utf-8')
      const rows = text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))
      const { data } = (await firm.owner.get(path, { query: { per_page: 100 } })).body
      assert.ok(rows.length)
      assert.deepEqual(rows, data, path)
    }
  })

  it('is there for every list of records, as a workbook too', async () => {
    const routes = (await world.services.modules.routes()).filter(({ path }) => path.endsWith('/export'))
    assert.ok(routes.length > 20, `${routes.length}`)
    const everything = await world.workspace({ modules: routes.flatMap(({ module }) => (module.core ? [] : module.key)) })
    for (const { path } of routes)
      for (const format of ['csv', 'xlsx', 'ndjson']) {
        const { status, raw } = await everything.owner.get(path.replace('/api/tenant/v1', ''), { query: { format } })
        assert.equal(status, 200, `${path} ${raw}`)
      }
  })
})

describe('an external id', () => {
  const put = (user: Person, id: string, body: object, headers = {}) =>
    user.put(`/vendors/external/${encodeURIComponent(id)}`, body, { headers })

  it('makes a record, changes it the next time, and finds it', async () => {
    const first = await put(firm.owner, 'SHOP/17 ä', { name: 'Ost' })
    assert.deepEqual([first.status, first.body.data.external_id, first.body.data.is_active], [201, 'SHOP/17 ä', true])
    const { id } = first.body.data
    const off = await put(firm.owner, 'SHOP/17 ä', { is_active: false })
    assert.deepEqual([off.status, off.body.data.id, off.body.data.name, off.body.data.is_active], [200, id, 'Ost', false])
    // Omitted fields stay unchanged, whatever their default.
    const again = await put(firm.owner, 'SHOP/17 ä', { phone: '1' })
    assert.deepEqual([again.body.data.is_active, again.body.data.phone], [false, '1'])
    const found = await firm.owner.get('/vendors', { query: { external_id: 'SHOP/17 ä' } })
    assert.deepEqual([found.body.meta.total, found.body.data[0].id], [1, id])
    assert.equal((await put(firm.owner, 'SHOP/17 ä', { name: 'X' }, { 'If-Match': first.headers.etag as string })).status, 412)
    assert.deepEqual(Object.keys((await put(firm.owner, 'new', { phone: '1' })).body.errors!), ['name'])
    assert.deepEqual(Object.keys((await put(firm.owner, 'x'.repeat(256), { name: 'X' })).body.errors!), ['external_id'])
  })

  it('is the path’s, whatever the body says', async () => {
    for (const [status, name] of [
      [201, 'West'],
      [200, 'Far west'],
    ] as const) {
      const saved = await put(firm.owner, 'path-1', { name, external_id: 'body-1' })
      assert.deepEqual([saved.status, saved.body.data.name, saved.body.data.external_id], [status, name, 'path-1'])
    }
  })

  it('is one record’s at a time: of those not deleted', async () => {
    const one = await made(firm.owner, '/vendors', { name: 'One', external_id: 'A' })
    const other = await firm.owner.post('/vendors', { name: 'Other', external_id: 'A' })
    assert.deepEqual([other.status, Object.keys(other.body.errors!)], [422, ['external_id']])
    const two = await made(firm.owner, '/vendors', { name: 'Two' })
    assert.equal((await firm.owner.put(`/vendors/${two.id}`, { external_id: 'A' })).status, 422)
    const named = await firm.owner.put(`/vendors/${two.id}`, { external_id: 'B' })
    assert.equal(named.body.data.external_id, 'B')
    assert.equal((await firm.owner.put(`/vendors/${two.id}`, { external_id: null })).body.data.external_id, null)
    await firm.owner.del(`/vendors/${one.id}`)
    assert.equal((await put(firm.owner, 'A', { name: 'Three' })).status, 201)
    const back = await firm.owner.post(`/vendors/${one.id}/restore`, {})
    assert.deepEqual([back.status, Object.keys(back.body.errors!)], [422, ['external_id']])
    const neighbour = await world.workspace({ modules: ['vendors'] })
    assert.equal((await put(neighbour.owner, 'A', { name: 'Theirs' })).status, 201)
  })

  it('is sent once more for a record that has moved on: it changes nothing, and is no error', async () => {
    const contact_id = (await made(firm.owner, '/contacts', { name: 'Buyer' })).id
    const lines = [{ name: 'Desk', quantity: 2, unit_price: 99.5, tax_rate: 19 }]
    const order = { title: 'Order 26', contact_id, currency: 'EUR', due_date: '2027-01-31', lines }
    const upsert = (body: object) => firm.owner.put('/invoices/external/shop-26', body)
    const { data } = (await upsert(order)).body
    assert.equal((await firm.owner.post(`/invoices/${data.id}/send`)).status, 200)
    const before = (await firm.owner.get(`/invoices/${data.id}`)).body.data
    const again = await upsert(order)
    assert.deepEqual([again.status, again.body.data], [200, before], JSON.stringify(again.body))
    for (const other of [
      { title: 'Order 27' },
      { lines: [{ ...lines[0], quantity: 3 }] },
      { lines: [...lines, ...lines] },
      { currency: 'USD' },
    ])
      assert.deepEqual(Object.keys((await upsert({ ...order, ...other })).body.errors!), ['status'], JSON.stringify(other))
    // Records identified by uuid have no visible id.
    const template = { name: 'Welcome', context: 'lead', channel: 'chat_app', body: 'Good day' }
    const [first, second] = [
      await firm.owner.put('/communication-templates/external/t-1', template),
      await firm.owner.put('/communication-templates/external/t-1', template),
    ]
    assert.deepEqual(
      [first.status, second.status, second.body.data?.revision],
      [201, 200, first.body.data?.revision],
      second.body.message,
    )
    const bought = { title: 'Screws', vendor_id: (await made(firm.owner, '/vendors', { name: 'Screws' })).id, currency: 'EUR' }
    const buy = () => firm.owner.put('/purchase-orders/external/erp-9', bought)
    const { id } = (await buy()).body.data
    await firm.owner.post(`/purchase-orders/${id}/cancel`)
    assert.equal((await buy()).status, 200)
  })

  it('ties a record that can’t be changed any more', async () => {
    const invoice = await made(firm.owner, '/invoices', { title: 'Old' })
    await firm.owner.post(`/invoices/${invoice.id}/send`)
    const tied = await firm.owner.put(`/invoices/${invoice.id}`, { external_id: 'erp-1' })
    assert.deepEqual([tied.status, tied.body.data?.external_id], [200, 'erp-1'], JSON.stringify(tied.body))
    assert.equal((await firm.owner.put(`/invoices/${invoice.id}`, { external_id: 'erp-2', title: 'New' })).status, 422)
    assert.equal((await firm.owner.put(`/invoices/${invoice.id}`, {})).status, 422)
  })

  it('makes one record when two ask at once', async () => {
    for (let n = 0; n < 5; n++) {
      const asked = Array.from({ length: 6 }, (_, k) => put(firm.owner, `race ${n}`, { name: `Race ${k}` }))
      const statuses = (await Promise.all(asked)).map(({ status }) => status).toSorted()
      assert.deepEqual(statuses, [200, 200, 200, 200, 200, 201])
    }
  })

  it('asks for the permission that the deed needs, and hides what the caller doesn’t see', async () => {
    const maker = await firm.user(['vendors.create'])
    const changer = await firm.user(['vendors.update'])
    assert.equal((await put(changer, 'mine', { name: 'M' })).status, 404)
    assert.equal((await put(maker, 'mine', { name: 'M' })).status, 201)
    assert.equal((await put(maker, 'mine', { name: 'M' })).status, 403)
    assert.equal((await put(changer, 'mine', { name: 'N' })).body.data.name, 'N')
    assert.equal((await put(await firm.user(['vendors.view']), 'mine', { name: 'M' })).status, 403)
    await made(firm.owner, '/contacts', { name: 'Hidden', external_id: 'H' })
    const seller = await firm.user(['contacts.view', 'contacts.create', 'contacts.update'])
    const gone = await firm.owner.put('/contacts/external/gone', { name: 'Ann' }, { headers: { 'if-match': '"2-4"' } })
    assert.equal(gone.status, 412, 'what was seen is no longer there')
    for (const updated_since of ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-12:00'])
      assert.equal((await firm.owner.get('/contacts', { query: { updated_since } })).status, 422, updated_since)
    const hidden = await seller.put('/contacts/external/H', { name: 'Seen' })
    assert.deepEqual([hidden.status, Object.keys(hidden.body.errors!)], [422, ['external_id']])
  })
})

describe('a bulk change', () => {
  const bulk = (user: Person, body: object, path = '/vendors') => user.post(`${path}/bulk`, body)
  const undo = (user: Person, id: string) => user.post(`/bulk/${id}/undo`, {})
  const some = async (count: number, more: object = {}) => {
    const made_: number[] = []
    for (let n = 0; n < count; n++) made_.push((await made(firm.owner, '/vendors', { name: `Bulk ${n}`, ...more })).id)
    return made_
  }
  const shown = async (ids: number[], path = '/vendors') =>
    (await firm.owner.get(path, { query: { ids: ids.join(','), sort: 'created_at', direction: 'asc' } })).body.data

  it('does to each what the route of one does, and says of which it could not', async () => {
    const ids = await some(3, { notes: 'before' })
    await firm.owner.del(`/vendors/${ids[1]}`)
    const { status, body } = await bulk(firm.owner, { ids: [...ids, 999_999], action: 'update', changes: { notes: 'after' } })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual([body.data.processed, body.data.state, body.data.total], [2, 'completed', 4])
    assert.deepEqual(
      body.data.failed.map(({ id, message }: any) => [id, message]),
      [ids[1], 999_999].map((id) => [id, 'There is no such vendor.']),
    )
    assert.deepEqual(
      (await shown(ids)).map(({ notes }: any) => notes),
      ['after', 'after'],
    )
    const back = await undo(firm.owner, body.data.batch_id)
    assert.deepEqual([back.status, back.body.data.processed], [200, 2])
    assert.deepEqual(
      (await shown(ids)).map(({ notes }: any) => notes),
      ['before', 'before'],
    )
    assert.equal((await undo(firm.owner, body.data.batch_id)).status, 422)
    const timeline = (await firm.owner.get(`/events`, { query: { types: 'vendor.updated', limit: 1000 } })).body.data
    assert.ok(timeline.length >= 4)
  })

  it('is undone but for what somebody has changed since', async () => {
    const ids = await some(2, { notes: 'was', external_id: null })
    const { data } = (await bulk(firm.owner, { ids, action: 'update', changes: { notes: 'is', is_active: false } })).body
    await firm.owner.put(`/vendors/${ids[0]}`, { notes: 'mine' })
    const back = (await undo(firm.owner, data.batch_id)).body.data
    assert.deepEqual([back.processed, back.failed], [1, [{ id: ids[0], message: 'It was changed since.' }]])
    assert.deepEqual(
      (await shown(ids)).map(({ notes, is_active }: any) => [notes, is_active]),
      [
        ['mine', false],
        ['was', true],
      ],
    )
  })

  it('counts records that were deleted for good since, and keeps nothing of what they were', async () => {
    const ids = await some(2, { notes: 'secret' })
    const { data } = (await bulk(firm.owner, { ids, action: 'update', changes: { notes: 'is' } })).body
    await firm.owner.del(`/vendors/${ids[0]}`)
    assert.equal((await firm.owner.del(`/vendors/${ids[0]}/force`)).status, 200)
    assert.deepEqual(await world.sql(`SELECT before FROM bulk_rows WHERE record_id = $1`, [ids[0]]), [{ before: {} }])
    const back = (await undo(firm.owner, data.batch_id)).body.data
    assert.deepEqual([back.total, back.processed, back.failed], [2, 1, [{ id: ids[0], message: 'There is no such vendor.' }]])
  })

  it('deletes, restores, assigns and moves by the modules’ own rules', async () => {
    const ids = await some(2)
    const gone = (await bulk(firm.owner, { ids, action: 'delete' })).body.data
    assert.deepEqual([gone.processed, await shown(ids)], [2, []])
    await undo(firm.owner, gone.batch_id)
    assert.equal((await shown(ids)).length, 2)
    const person = await firm.user(['tasks.view', 'projects.view'])
    const projects = [await made(firm.owner, '/projects', { title: 'P1' }), await made(firm.owner, '/projects', { title: 'P2' })]
    const of = projects.map(({ id }) => id)
    const given = (await bulk(firm.owner, { ids: of, action: 'assign', changes: { assigned_to: person.id } }, '/projects')).body
      .data
    assert.equal(given.processed, 2)
    assert.ok((await shown(of, '/projects')).every(({ assigned_to }: any) => assigned_to === person.id))
    await undo(firm.owner, given.batch_id)
    assert.ok((await shown(of, '/projects')).every(({ assigned_to }: any) => assigned_to === null))
    const moved = (await bulk(firm.owner, { ids: of, action: 'status', changes: { status: 'completed' } }, '/projects')).body.data
    assert.deepEqual([moved.processed, moved.failed.length], [0, 2]) // a planned one can't be completed
    assert.match(moved.failed[0].message, /not possible/)
    assert.equal((await bulk(firm.owner, { ids, action: 'status', changes: { status: 'x' } })).status, 422)
    const drafts = [await made(firm.owner, '/expenses', { title: 'E', amount: 3 })].map(({ id }) => id)
    const wrong = await bulk(firm.owner, { ids: drafts, action: 'update', changes: { amount: -1 } }, '/expenses')
    assert.deepEqual([wrong.status, Object.keys(wrong.body.errors!)], [422, ['changes.amount']])
  })

  it('needs what each deed needs, and reaches nothing beyond the caller’s sight', async () => {
    const ids = await some(1)
    const changer = await firm.user(['vendors.update'])
    assert.equal((await bulk(changer, { ids, action: 'delete' })).status, 403)
    const { data } = (await bulk(changer, { ids, action: 'update', changes: { notes: 'x' } })).body
    assert.equal(data.processed, 1)
    assert.equal((await undo(firm.owner, data.batch_id)).status, 404)
    const neighbour = await world.workspace({ modules: ['vendors', 'contacts'] })
    assert.equal((await bulk(neighbour.owner, { ids, action: 'delete' })).body.data.processed, 0)
    const seller = await firm.user(['contacts.view', 'contacts.update'])
    const hidden = (await made(firm.owner, '/contacts', { name: 'H' })).id
    const reach = (await bulk(seller, { ids: [hidden], action: 'update', changes: { name: 'Y' } }, '/contacts')).body.data
    assert.deepEqual([reach.processed, reach.failed[0].message], [0, 'There is no such contact.'])
    for (const body of [
      { action: 'delete' },
      { ids: [], action: 'delete' },
      { filter: {}, action: 'delete' },
      { ids, filter: { search: 'a' }, action: 'delete' },
      { filter: { colour: 'red' }, action: 'delete' },
      { filter: { is_active: 'maybe' }, action: 'delete' },
      { ids, action: 'update', changes: { nmae: 'misspelt' } },
      { ids, action: 'update', changes: {} },
    ])
      assert.equal((await bulk(firm.owner, body)).status, 422, JSON.stringify(body))
    const wrong = await bulk(firm.owner, { filter: { is_active: 'maybe' }, action: 'delete' })
    assert.deepEqual(Object.keys(wrong.body.errors!), ['filter.is_active'])
  })

  it('of more than a hundred is a job’s, and so is its undoing', async () => {
    const big = await world.workspace({ modules: ['vendors'] })
    await world.sql(
      `INSERT INTO vendors (tenant_id, name, is_active, created_at, updated_at) SELECT $1, 'V ' || n, n <= 250, now(), now() FROM generate_series(1, 260) n`,
      [big.id],
    )
    const { data } = (await bulk(big.owner, { filter: { is_active: true }, action: 'update', changes: { is_active: false } }))
      .body
    assert.deepEqual([data.state, data.processed], ['waiting', 0])
    await world.drain()
    const done = (await big.owner.get(`/bulk/${data.batch_id}`)).body.data
    assert.deepEqual([done.state, done.processed, done.total], ['completed', 250, 250])
    const active = async () => (await big.owner.get('/vendors', { query: { is_active: true } })).body.meta.total
    assert.equal(await active(), 0)
    assert.equal((await undo(big.owner, data.batch_id)).status, 200)
    await world.drain()
    assert.deepEqual([(await big.owner.get(`/bulk/${data.batch_id}`)).body.data.processed, await active()], [250, 250])
  })
})

describe('small tables', () => {
  it('are exported, asked for ids, and for what was changed since', async () => {
    world.clock.set('2027-05-03T09:00:00.000Z')
    const [first, second] = [
      await made(firm.owner, '/lead-tags', { name: 'Arctic' }),
      await made(firm.owner, '/lead-tags', { name: 'Tropical' }),
    ]
    const listed = async (query: Record<string, string>) =>
      (await firm.owner.get('/lead-tags', { query })).body.data.map(({ name }: { name: string }) => name)
    assert.deepEqual(await listed({ ids: `${second.id},999999` }), ['Tropical'])
    world.clock.set('2027-05-03T10:00:00.000Z')
    assert.equal((await firm.owner.put(`/lead-tags/${first.id}`, { name: 'Icy' })).status, 200)
    assert.deepEqual(await listed({ updated_since: '2027-05-03T10:00:00Z' }), ['Icy'])
    for (const query of [{ ids: '1;2' }, { updated_since: 'yesterday' }])
      assert.equal((await firm.owner.get('/lead-tags', { query: query as never })).status, 422)
    assert.deepEqual(
      (await exported(firm.owner, '/lead-tags', { ids: String(first.id) })).map(({ Name }) => Name),
      ['Icy'],
    )
    const ndjson = await exportOf(firm.owner, '/expenses/categories', { format: 'ndjson' })
    assert.ok(
      ndjson.text
        .trim()
        .split('\n')
        .every((line) => typeof JSON.parse(line).name === 'string'),
    )
    assert.equal((await exportOf(firm.owner, '/lead-stages', {})).headers['content-type'], 'text/csv; charset=utf-8')
    const other = await world.workspace({ modules: ['leads'] })
    assert.deepEqual(await exported(other.owner, '/lead-tags', { ids: String(first.id) }), [])
    const stranger = await firm.user(['vendors.view'])
    assert.equal((await stranger.get('/lead-tags/export')).status, 403)
  })

  it('go out whole and in no formula’s form', async () => {
    await made(firm.owner, '/lead-tags', { name: '=1+1' })
    const names = (await exported(firm.owner, '/lead-tags')).map(({ Name }) => Name)
    assert.ok(!names.includes('=1+1') && names.some((name) => name?.includes('=1+1')), names.join())
    const { meta } = (await firm.owner.get('/lead-tags')).body
    assert.equal(names.length, meta!.total)
  })
})

describe('an instant that a list can be sorted by', () => {
  it('keeps it to a range, to the millisecond, as its export; no other text is an instant', async () => {
    const made_at = [
      '2027-06-01T08:59:59.999Z',
      '2027-06-01T09:00:00.000Z',
      '2027-06-01T10:00:00.000Z',
      '2027-06-01T10:00:00.001Z',
    ]
    for (const [n, at] of made_at.entries()) {
      world.clock.set(at)
      await made(firm.owner, '/vendors', { name: `Timed ${n}` })
    }
    // More precise than in replies.
    await world.sql(
      `UPDATE vendors SET created_at = created_at + interval '400 microseconds' WHERE tenant_id = $1 AND name = 'Timed 2'`,
      [firm.id],
    )
    const query = { search: 'Timed', sort: 'name', created_at_from: '2027-06-01T11:00:00+02:00', created_at_to: made_at[2]! }
    const { body } = await firm.owner.get('/vendors', { query })
    assert.deepEqual(
      body.data.map(({ name }: { name: string }) => name),
      ['Timed 1', 'Timed 2'],
    )
    assert.deepEqual(
      (await exported(firm.owner, '/vendors', query)).map(({ Name }) => Name),
      ['Timed 1', 'Timed 2'],
    )
    for (const wrong of ['2027-06-01', '2027-06-01T09:00:00', 'yesterday', '0000-01-01T00:00:00Z', 'x'.repeat(5000)]) {
      const { status, body } = await firm.owner.get('/vendors', { query: { created_at_to: wrong } })
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['created_at_to']], wrong.slice(0, 30))
    }
    assert.equal((await firm.owner.get('/vendors', { query: { created_at_from: '' } })).status, 200)
  })
})
