// Also in CI: pgbouncer
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { textOfPdf } from '#workspace/mcp/pdf-text.ts'

const world = await startTest()
const ALL = ['view', 'create', 'update', 'delete', 'restore', 'force.delete', 'send', 'receive', 'cancel', 'convert'].map(
  (action) => `purchase-orders.${action}`,
)

let acme: Workspace
let owner: Person
let other: Workspace
let vendor: number

before(async () => {
  acme = await world.workspace({ name: 'Acme' })
  owner = acme.owner
  other = await world.workspace({ name: 'Other' })
  vendor = (await owner.post('/vendors', { name: 'Nordwind GmbH', email: 'sales@nordwind.test' })).body.data.id
})

const line = { description: 'Oak desk', quantity: 2, unit_price: 199.995, tax_rate: 19 }

async function draft(more: object = {}, by = owner) {
  const { status, body } = await by.post('/purchase-orders', { vendor_id: vendor, title: 'Desks', lines: [line], ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

async function sent(more: object = {}) {
  const order = await draft(more)
  return (await owner.post(`/purchase-orders/${order.id}/send`)).body.data
}

const errorsOf = async (reply: ReturnType<Person['get']>) => {
  const { status, body } = await reply
  return { status, fields: Object.keys(body.errors ?? {}) }
}

describe('who may come in', () => {
  const routes: { method: 'get' | 'post' | 'put' | 'del'; path: string; permission: string }[] = [
    { method: 'get', path: '/purchase-orders/stats', permission: 'view' },
    { method: 'get', path: '/purchase-orders', permission: 'view' },
    { method: 'post', path: '/purchase-orders', permission: 'create' },
    { method: 'get', path: '/purchase-orders/:id', permission: 'view' },
    { method: 'put', path: '/purchase-orders/:id', permission: 'update' },
    { method: 'del', path: '/purchase-orders/:id', permission: 'delete' },
    { method: 'post', path: '/purchase-orders/:id/restore', permission: 'restore' },
    { method: 'del', path: '/purchase-orders/:id/force', permission: 'force.delete' },
    { method: 'post', path: '/purchase-orders/:id/assign', permission: 'assign' },
    { method: 'post', path: '/purchase-orders/:id/send', permission: 'send' },
    { method: 'get', path: '/purchase-orders/:id/pdf', permission: 'view' },
    { method: 'post', path: '/purchase-orders/:id/email', permission: 'send' },
    { method: 'post', path: '/purchase-orders/:id/receive', permission: 'receive' },
    { method: 'post', path: '/purchase-orders/:id/cancel', permission: 'cancel' },
    { method: 'post', path: '/purchase-orders/:id/status', permission: 'update' },
    { method: 'post', path: '/purchase-orders/:id/notes', permission: 'update' },
    { method: 'get', path: '/purchase-orders/:id/timeline', permission: 'view' },
    { method: 'post', path: '/purchase-orders/:id/convert', permission: 'convert' },
  ]

  it('nobody without the permission that the contract names (PO-50)', async () => {
    const { id } = await draft()
    const clerk = await acme.user(['vendors.view'])
    for (const { method, path, permission } of routes) {
      const at = path.replace(':id', String(id))
      const say = `${method} ${path}`
      const refused = await clerk[method](at)
      assert.equal(refused.status, 403, say)
      assert.match(refused.body.message, new RegExp(`purchase-orders.${permission.replace('.', '\\.')}`), say)
    }
  })

  it('without assign, only the assignee: everywhere (PO-51, AUTH-08)', async () => {
    const buyer = await acme.user(ALL, 'Bea Buyer')
    const theirs = await draft()
    const mine = await draft({ assigned_to: buyer.id })
    for (const { method, path } of routes.filter(({ path }) => path.includes(':id') && !path.endsWith('assign')))
      assert.equal((await buyer[method](path.replace(':id', String(theirs.id)))).status, 404, `${method} ${path}`)
    const list = await buyer.get('/purchase-orders', { query: { trashed: 'with', search: 'desk' } })
    assert.deepEqual(
      list.body.data.map((order: { id: number }) => order.id),
      [mine.id],
    )
    assert.equal(list.body.meta.total, 1)
    const stats = (await buyer.get('/purchase-orders/stats')).body.data
    assert.partialDeepStrictEqual(stats, { total_purchase_orders: 1, my_purchase_orders: 1, draft: 1, scope: 'mine' })
    assert.equal((await owner.get('/purchase-orders/stats')).body.data.scope, 'org')
    assert.equal((await buyer.get(`/purchase-orders/${mine.id}`)).status, 200)
  })

  it('without assign, a new order is the creator’s, and nobody else can be named (PO-51)', async () => {
    const buyer = await acme.user(ALL)
    const order = await draft({ assigned_to: owner.id }, buyer)
    assert.equal(order.assigned_to, buyer.id)
    const saved = await buyer.put(`/purchase-orders/${order.id}`, { assigned_to: owner.id, title: 'Mine' })
    assert.partialDeepStrictEqual(saved.body.data, { assigned_to: buyer.id, title: 'Mine' })
  })

  it('judges the record before the body, and the body before the state (PO-22)', async () => {
    assert.equal((await owner.put('/purchase-orders/999999999', { title: 7 })).status, 404)
    const order = await sent()
    assert.deepEqual(await errorsOf(owner.put(`/purchase-orders/${order.id}`, { title: 7 })), { status: 422, fields: ['title'] })
    assert.deepEqual(await errorsOf(owner.put(`/purchase-orders/${order.id}`, { title: 'New' })), {
      status: 422,
      fields: ['status'],
    })
  })
})

describe('writing', () => {
  it('names each wrong field and writes nothing (PO-03, PO-06, PO-07, PO-09, PO-12)', async () => {
    const before = (await owner.get('/purchase-orders', { query: { trashed: 'with' } })).body.meta.total
    const theirVendor = (await other.owner.post('/vendors', { name: 'Theirs' })).body.data.id
    const cases: { body: unknown; fields: string[] }[] = [
      { body: {}, fields: ['vendor_id', 'title'] },
      { body: [], fields: ['body'] },
      { body: { vendor_id: vendor, title: ' ' }, fields: ['title'] },
      { body: { vendor_id: vendor, title: 'x'.repeat(256) }, fields: ['title'] },
      { body: { vendor_id: vendor, title: 'nul \0 here' }, fields: ['title'] },
      { body: { vendor_id: 'seven', title: 'x' }, fields: ['vendor_id'] },
      { body: { vendor_id: 999_999, title: 'x' }, fields: ['vendor_id'] },
      { body: { vendor_id: theirVendor, title: 'x' }, fields: ['vendor_id'] },
      { body: { vendor_id: vendor, title: 'x', currency: 'XXZ' }, fields: ['currency'] },
      { body: { vendor_id: vendor, title: 'x', currency: 'DOLLAR' }, fields: ['currency'] },
      { body: { vendor_id: vendor, title: 'x', order_date: '2026-02-30' }, fields: ['order_date'] },
      { body: { vendor_id: vendor, title: 'x', expected_date: '01.02.2026' }, fields: ['expected_date'] },
      { body: { vendor_id: vendor, title: 'x', assigned_to: 999_999 }, fields: ['assigned_to'] },
      { body: { vendor_id: vendor, title: 'x', assigned_to: other.owner.id }, fields: ['assigned_to'] },
      { body: { vendor_id: vendor, title: 'x', lines: 'none' }, fields: ['lines'] },
      {
        body: { vendor_id: vendor, title: 'x', lines: [{}] },
        fields: ['lines.0.description', 'lines.0.quantity', 'lines.0.unit_price'],
      },
      { body: { vendor_id: vendor, title: 'x', lines: [line, { ...line, quantity: 0 }] }, fields: ['lines.1.quantity'] },
      { body: { vendor_id: vendor, title: 'x', lines: [{ ...line, quantity: 1.0000001 }] }, fields: ['lines.0.quantity'] },
      { body: { vendor_id: vendor, title: 'x', lines: [{ ...line, unit_price: -1 }] }, fields: ['lines.0.unit_price'] },
      { body: { vendor_id: vendor, title: 'x', lines: [{ ...line, unit_price: '5' }] }, fields: ['lines.0.unit_price'] },
      { body: { vendor_id: vendor, title: 'x', lines: [{ ...line, tax_rate: 100.1 }] }, fields: ['lines.0.tax_rate'] },
      { body: { vendor_id: vendor, title: 'x', lines: [{ ...line, product_id: 999_999 }] }, fields: ['lines.0.product_id'] },
      {
        body: { vendor_id: vendor, title: 'x', lines: [{ ...line, quantity: 999_999_999, unit_price: 999_999_999 }] },
        fields: ['lines'],
      },
    ]
    for (const { body, fields } of cases) {
      const reply = await owner.post('/purchase-orders', body)
      assert.equal(reply.status, 422, JSON.stringify(body))
      assert.deepEqual(Object.keys(reply.body.errors!).sort(), fields.sort(), JSON.stringify(body))
    }
    assert.equal((await owner.get('/purchase-orders', { query: { trashed: 'with' } })).body.meta.total, before)
  })

  it('makes a draft with a number, exact totals and its story (PO-02, PO-05, PO-08, PO-11, PO-15, PO-16, CONV-11)', async () => {
    const order = await draft({ notes: 'Ring twice', expected_date: '2026-12-24', subtotal: 1, total: 1, status: 'received' })
    assert.match(order.number, /^PO-\d{5}$/)
    const { status, currency, subtotal, tax_total, total, order_date, expected_date, assigned_to, notes, converted_expense_id } =
      order
    assert.deepEqual(
      { status, currency, subtotal, tax_total, total, order_date, expected_date, assigned_to, notes, converted_expense_id },
      {
        status: 'draft',
        currency: 'USD',
        subtotal: 399.99,
        tax_total: 76,
        total: 475.99,
        order_date: null,
        expected_date: '2026-12-24',
        assigned_to: null,
        notes: 'Ring twice',
        converted_expense_id: null,
      },
    )
    assert.deepEqual(order.vendor, { id: vendor, name: 'Nordwind GmbH' })
    assert.equal(order.assignee, null)
    assert.equal(order.creator.email, owner.email)
    const { id: _, ...stored } = order.lines[0]
    assert.deepEqual(stored, { ...line, sort_order: 0, product_id: null, product: null, line_total: 399.99, tax_amount: 76 })
    assert.deepEqual(
      order.activities.map(({ type }: { type: string }) => type),
      ['created'],
    )
    assert.deepEqual(order.note_entries, [])
    assert.deepEqual((await owner.get(`/purchase-orders/${order.id}`)).body.data, order)
  })

  it('rounds in the currency’s minor units', async () => {
    assert.equal((await draft({ currency: 'JPY' })).total, 476)
    const dinar = await draft({ currency: 'KWD', lines: [{ ...line, unit_price: 1.0005, quantity: 1, tax_rate: 0 }] })
    assert.equal(dinar.total, 1.001)
    const euro = (await owner.put(`/purchase-orders/${dinar.id}`, { currency: 'EUR' })).body.data
    assert.deepEqual([euro.total, euro.lines[0].line_total], [1, 1])
  })

  it('numbers from the prefix setting, without gaps, also twenty at once (PO-02)', async () => {
    const firm = await world.workspace()
    const { id } = (await firm.owner.post('/vendors', { name: 'V' })).body.data
    await firm.owner.put('/settings', { settings: { purchase_orders_number_prefix: 'BST-' } })
    const order = { vendor_id: id, title: 'x' }
    const replies = await Promise.all(Array.from({ length: 20 }, () => firm.owner.post('/purchase-orders', order)))
    const refused = await Promise.all([
      firm.owner.post('/purchase-orders', { ...order, vendor_id: 1 }),
      firm.owner.post('/purchase-orders', { title: 'x' }),
    ])
    assert.deepEqual(
      refused.map(({ status }) => status),
      [422, 422],
    )
    replies.push(await firm.owner.post('/purchase-orders', order))
    const numbers = replies.map(({ body }) => body.data.number).sort()
    assert.deepEqual(
      numbers,
      Array.from({ length: 21 }, (_, n) => `BST-${String(n + 1).padStart(5, '0')}`),
    )
    assert.equal((await firm.owner.get('/purchase-orders')).body.meta.total, 21)
  })

  it('changes what is sent and keeps the rest; sent lines replace the set (PO-21)', async () => {
    const order = await draft({ notes: 'keep' })
    const one = await owner.put(`/purchase-orders/${order.id}`, { title: 'Chairs' })
    assert.deepEqual(
      [one.body.data.title, one.body.data.notes, one.body.data.lines.length, one.body.data.total],
      ['Chairs', 'keep', 1, 475.99],
    )
    const two = await owner.put(`/purchase-orders/${order.id}`, {
      lines: [
        { description: 'B', quantity: 1, unit_price: 5, sort_order: 2 },
        { description: 'A', quantity: 1, unit_price: 5, sort_order: 1 },
      ],
    })
    assert.deepEqual(
      two.body.data.lines.map(({ description }: { description: string }) => description),
      ['A', 'B'],
    )
    assert.equal(two.body.data.total, 10)
    assert.equal((await owner.put(`/purchase-orders/${order.id}`, { lines: [] })).body.data.total, 0)
    const buyer = await acme.user(ALL, 'Bo Buyer')
    const given = await owner.put(`/purchase-orders/${order.id}`, { title: 'Chairs', assigned_to: buyer.id })
    assert.deepEqual([given.body.data.assignee.id, given.body.data.activities[0].description], [buyer.id, 'Assigned to Bo Buyer'])
    const same = await owner.put(`/purchase-orders/${order.id}`, { title: 'Chairs' })
    const types = same.body.data.activities.map(({ type }: { type: string }) => type)
    assert.deepEqual(types, ['assigned', 'updated', 'updated', 'updated', 'created'])
  })

  it('links products that are live, active and permitted (PO-13)', async () => {
    const product = (await owner.post('/products', { name: 'Lamp', sku: 'L-1', unit_price: 9 })).body.data
    const order = await draft({ lines: [{ ...line, product_id: product.id }] })
    assert.deepEqual(order.lines[0].product, { id: product.id, sku: 'L-1', name: 'Lamp' })
    const blind = await acme.user(ALL)
    const body = { vendor_id: vendor, title: 'x', lines: [{ ...line, product_id: product.id }] }
    assert.deepEqual(await errorsOf(blind.post('/purchase-orders', body)), { status: 422, fields: ['lines.0.product_id'] })
    await owner.put(`/products/${product.id}`, { is_active: false })
    assert.deepEqual(await errorsOf(owner.post('/purchase-orders', body)), { status: 422, fields: ['lines.0.product_id'] })
  })
})

describe('the list', () => {
  let firm: Workspace
  let ids: number[]
  before(async () => {
    firm = await world.workspace()
    const a = (await firm.owner.post('/vendors', { name: 'A' })).body.data.id
    const b = (await firm.owner.post('/vendors', { name: 'B' })).body.data.id
    ids = []
    for (let n = 0; n < 7; n++) {
      const { body } = await firm.owner.post('/purchase-orders', {
        vendor_id: n < 3 ? a : b,
        title: `Order ${'ABCDEFG'[n]}`,
        assigned_to: n === 6 ? firm.owner.id : null,
        lines: [{ ...line, quantity: n + 1 }],
      })
      ids.push(body.data.id)
    }
    await firm.owner.post(`/purchase-orders/${ids[0]}/send`)
    await firm.owner.post(`/purchase-orders/${ids[1]}/notes`, { body: 'first' })
    await firm.owner.post(`/purchase-orders/${ids[1]}/notes`, { body: 'second' })
    await firm.owner.del(`/purchase-orders/${ids[5]}`)
  })
  const listed = async (query: Record<string, string | number>) => {
    const { body, status } = await firm.owner.get('/purchase-orders', { query })
    assert.equal(status, 200, JSON.stringify(body))
    return { ids: body.data.map(({ id }: { id: number }) => ids.indexOf(id)), total: body.meta.total }
  }

  it('filters, counts, sorts and pages (PO-19, PO-20)', async () => {
    const cases: { query: Record<string, string | number>; expected: number[] }[] = [
      { query: {}, expected: [6, 4, 3, 2, 1, 0] },
      { query: { sort: 'title' }, expected: [0, 1, 2, 3, 4, 6] },
      { query: { sort: 'total', direction: 'desc' }, expected: [6, 4, 3, 2, 1, 0] },
      { query: { status: 'sent' }, expected: [0] },
      { query: { assigned_to: 'unassigned' }, expected: [4, 3, 2, 1, 0] },
      { query: { assigned_to: firm.owner.id }, expected: [6] },
      { query: { my_purchase_orders: 'true' }, expected: [6] },
      { query: { my_purchase_orders: '0' }, expected: [6, 4, 3, 2, 1, 0] },
      { query: { trashed: 'only' }, expected: [5] },
      { query: { trashed: 'true' }, expected: [5] },
      { query: { trashed: '1' }, expected: [5] },
      { query: { trashed: 'with' }, expected: [6, 5, 4, 3, 2, 1, 0] },
      { query: { trashed: 'false' }, expected: [6, 4, 3, 2, 1, 0] },
      { query: { trashed: '0' }, expected: [6, 4, 3, 2, 1, 0] },
      { query: { search: 'order c' }, expected: [2] },
      { query: { search: 'PO-00002' }, expected: [1] },
      { query: { search: '_' }, expected: [] },
      { query: { search: 'er ', status: 'draft' }, expected: [6, 4, 3, 2, 1] },
      { query: { status: '' }, expected: [6, 4, 3, 2, 1, 0] },
    ]
    for (const { query, expected } of cases) {
      const { ids: found, total } = await listed(query)
      assert.deepEqual(found, expected, JSON.stringify(query))
      assert.equal(total, expected.length, JSON.stringify(query))
      const { sort: _, direction: __, ...filters } = query
      const stats = (await firm.owner.get('/purchase-orders/stats', { query: filters })).body.data
      assert.equal(stats.total_purchase_orders, expected.length, JSON.stringify(query))
      assert.equal(stats.draft + stats.sent, expected.length)
    }
    const page = await firm.owner.get('/purchase-orders', { query: { per_page: 2, page: 2, status: 'draft' } })
    assert.partialDeepStrictEqual(page.body.meta, { total: 5, last_page: 3, current_page: 2 })
    assert.match(page.body.meta.next_page_url, /^http:\/\/atrium\.test\/api\/tenant\/v1\/purchase-orders\?.*page=3/)
    assert.match(page.body.meta.prev_page_url, /page=1/)
  })

  it('carries what the contract names (PO-18)', async () => {
    const { body } = await firm.owner.get('/purchase-orders', { query: { search: 'Order B' } })
    const [item] = body.data
    for (const key of [
      'status',
      'currency',
      'subtotal',
      'tax_total',
      'total',
      'order_date',
      'expected_date',
      'vendor',
      'assignee',
      'creator',
      'latest_note',
    ])
      assert.ok(key in item, key)
    assert.equal(item.latest_note.body, 'second')
    assert.equal('tenant_id' in item || 'search_text' in item || 'lines' in item, false)
  })

  it('keeps its tallies true through every change', async () => {
    const [{ drift }] = await world.sql(
      `select count(*)::int as drift from (
         select tenant_id, status, assigned_to, deleted_at is not null as trashed, count(*) as n from purchase_orders group by 1, 2, 3, 4
         except select tenant_id, status, assigned_to, trashed, sum(n) from record_tallies where kind = 'purchase_orders' group by 1, 2, 3, 4) d`,
    )
    assert.equal(drift, 0)
  })
})

describe('its life', () => {
  it('takes its lines, notes and timeline along when it is removed for good', async () => {
    const { id } = await draft()
    await owner.post(`/purchase-orders/${id}/notes`, { body: 'n' })
    await owner.del(`/purchase-orders/${id}`)
    const restored = await owner.post(`/purchase-orders/${id}/restore`)
    assert.deepEqual(
      restored.body.data.activities.map(({ type }: { type: string }) => type),
      ['restored', 'deleted', 'note_added', 'created'],
    )
    await owner.del(`/purchase-orders/${id}`)
    assert.equal((await owner.del(`/purchase-orders/${id}/force`)).status, 200)
    const left = async (table: string, subject: string) =>
      (await world.sql(`select * from ${table} where ${subject}`, [id])).map(({ type }) => type)
    assert.deepEqual(await left('purchase_order_lines', 'purchase_order_id = $1'), [])
    assert.deepEqual(await left('notes', `subject_type = 'purchase_orders' and subject_id = $1`), [])
    const told = await left('activities', `subject_type = 'purchase_orders' and subject_id = $1`)
    assert.deepEqual(told, ['force_deleted'], 'that it is gone is all that is told of it')
  })

  it('takes notes and tells its story, newest first (PO-38, PO-42, PO-43)', async () => {
    const { id } = await draft()
    assert.deepEqual(await errorsOf(owner.post(`/purchase-orders/${id}/notes`, { body: '' })), { status: 422, fields: ['body'] })
    const note = await owner.post(`/purchase-orders/${id}/notes`, { body: 'Called them' })
    assert.equal(note.status, 201)
    assert.deepEqual([note.body.data.body, note.body.data.creator.id], ['Called them', owner.id])
    const buyer = await acme.user(ALL, 'Ben Buyer')
    await owner.post(`/purchase-orders/${id}/assign`, { assigned_to: buyer.id })
    await owner.post(`/purchase-orders/${id}/assign`, { assigned_to: buyer.id })
    assert.deepEqual(await errorsOf(owner.post(`/purchase-orders/${id}/assign`, {})), { status: 422, fields: ['assigned_to'] })
    const { body } = await owner.get(`/purchase-orders/${id}/timeline`, { query: { per_page: 2 } })
    assert.deepEqual(
      body.data.map(({ type, description }: any) => [type, description]),
      [
        ['assigned', 'Assigned to Ben Buyer'],
        ['note_added', 'Note added'],
      ],
    )
    assert.equal(body.meta.total, 3)
    assert.equal((await owner.post(`/purchase-orders/${id}/assign`, { assigned_to: null })).body.data.assignee, null)
  })

  it('moves only along its graph, by either route (PO-23 … PO-28, PO-30, CONV-13)', async () => {
    const paths: Record<string, string[]> = {
      draft: [],
      sent: ['sent'],
      partially_received: ['sent', 'partially_received'],
      received: ['sent', 'received'],
      cancelled: ['cancelled'],
    }
    const allowed: Record<string, string[]> = {
      draft: ['sent', 'cancelled'],
      sent: ['partially_received', 'received', 'cancelled'],
      partially_received: ['received', 'cancelled'],
      received: [],
      cancelled: [],
    }
    for (const [from, path] of Object.entries(paths))
      for (const to of Object.keys(paths)) {
        const { id } = await draft()
        for (const status of path) assert.equal((await owner.post(`/purchase-orders/${id}/status`, { status })).status, 200)
        const reply = await owner.post(`/purchase-orders/${id}/status`, { status: to })
        assert.equal(reply.status, allowed[from]!.includes(to) ? 200 : 422, `${from} → ${to}`)
        if (reply.status === 422) assert.deepEqual(Object.keys(reply.body.errors!), ['status'])
        else {
          const [latest] = reply.body.data.activities
          assert.deepEqual([latest.type, latest.properties], ['status_changed', { from, to }])
        }
      }
  })

  it('asks for the permission of the target (PO-34)', async () => {
    const need: Record<string, string> = {
      sent: 'send',
      cancelled: 'cancel',
      received: 'receive',
      partially_received: 'receive',
      draft: 'update',
    }
    for (const [status, action] of Object.entries(need)) {
      const without = await acme.user(
        [...ALL, 'purchase-orders.assign'].filter((permission) => permission !== `purchase-orders.${action}`),
      )
      const order = ['received', 'partially_received'].includes(status) ? await sent() : await draft()
      assert.equal((await without.post(`/purchase-orders/${order.id}/status`, { status })).status, 403, status)
      const only = await acme.user([`purchase-orders.${action}`, 'purchase-orders.assign'])
      assert.equal(
        (await only.post(`/purchase-orders/${order.id}/status`, { status })).status,
        status === 'draft' ? 422 : 200,
        status,
      )
    }
  })

  it('takes today’s date of the workspace when sent (PO-23)', async () => {
    const firm = await world.workspace({ timezone: 'Pacific/Kiritimati' })
    const { id } = (await firm.owner.post('/vendors', { name: 'V' })).body.data
    world.clock.set('2026-03-31T12:00:00.000Z')
    const order = (await firm.owner.post('/purchase-orders', { vendor_id: id, title: 'x' })).body.data
    const dated = (await firm.owner.post('/purchase-orders', { vendor_id: id, title: 'x', order_date: '2026-01-02' })).body.data
    assert.equal((await firm.owner.post(`/purchase-orders/${order.id}/send`)).body.data.order_date, '2026-04-01')
    assert.equal((await firm.owner.post(`/purchase-orders/${dated.id}/send`)).body.data.order_date, '2026-01-02')
    world.clock.set(undefined)
  })
})

describe('receiving', () => {
  it('asks for one of two statuses (PO-31, PO-32)', async () => {
    const order = await draft()
    for (const body of [{}, { status: 'sent' }, { status: 'draft' }, { status: 5 }])
      assert.deepEqual(await errorsOf(owner.post(`/purchase-orders/${order.id}/receive`, body)), {
        status: 422,
        fields: ['status'],
      })
    assert.deepEqual(await errorsOf(owner.post(`/purchase-orders/${order.id}/receive`, { status: 'received' })), {
      status: 422,
      fields: ['status'],
    })
  })

  it('brings tracked goods into stock once, however many receive at once (PO-24, PO-25, PO-29, PO-35)', async () => {
    const main = (await owner.post('/warehouses', { name: 'Main', code: 'MAIN', is_default: true })).body.data
    const side = (await owner.post('/warehouses', { name: 'Side', code: 'SIDE' })).body.data
    const tracked = (await owner.post('/products', { name: 'Bolt', sku: 'B-1', track_stock: true })).body.data
    const service = (await owner.post('/products', { name: 'Advice', sku: 'A-1', track_stock: false })).body.data
    const lines = [
      { description: 'Bolts', quantity: 2.5, unit_price: 1, product_id: tracked.id },
      { description: 'More bolts', quantity: 1.5, unit_price: 1, product_id: tracked.id },
      { description: 'Advice', quantity: 1, unit_price: 1, product_id: service.id },
      { description: 'Free text', quantity: 9, unit_price: 1 },
    ]
    const stock = async (warehouse: number) =>
      (
        await world.sql('select product_id::int, on_hand::float from stock_levels where tenant_id = $1 and warehouse_id = $2', [
          acme.id,
          warehouse,
        ])
      ).map((row) => [row.product_id, row.on_hand])

    const one = await sent({ lines })
    await owner.post(`/purchase-orders/${one.id}/receive`, { status: 'partially_received' })
    assert.deepEqual(await stock(main.id), [])
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => owner.post(`/purchase-orders/${one.id}/receive`, { status: 'received' })),
    )
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(9).fill(422)])
    assert.deepEqual(await stock(main.id), [[tracked.id, 4]])

    const two = await sent({ lines })
    assert.deepEqual(
      await errorsOf(owner.post(`/purchase-orders/${two.id}/receive`, { status: 'received', warehouse_id: 999_999 })),
      { status: 422, fields: ['warehouse_id'] },
    )
    assert.equal((await owner.get(`/purchase-orders/${two.id}`)).body.data.status, 'sent')
    await owner.post(`/purchase-orders/${two.id}/receive`, { status: 'received', warehouse_id: side.id })
    assert.deepEqual(await stock(side.id), [[tracked.id, 4]])

    const three = await sent({ lines })
    await owner.post(`/purchase-orders/${three.id}/status`, { status: 'received' })
    assert.deepEqual(await stock(main.id), [[tracked.id, 8]])
  })

  it('posts nothing where Inventory is not installed', async () => {
    const firm = await world.workspace({ modules: ['purchase-orders', 'products'] })
    const { id } = (await firm.owner.post('/vendors', { name: 'V' })).body.data
    const product = (await firm.owner.post('/products', { name: 'P', sku: 'P' })).body.data
    const order = (
      await firm.owner.post('/purchase-orders', { vendor_id: id, title: 'x', lines: [{ ...line, product_id: product.id }] })
    ).body.data
    await firm.owner.post(`/purchase-orders/${order.id}/send`)
    assert.equal(
      (await firm.owner.post(`/purchase-orders/${order.id}/receive`, { status: 'received' })).body.data.status,
      'received',
    )
    assert.deepEqual(await world.sql('select 1 from stock_movements where tenant_id = $1', [firm.id]), [])
  })
})

describe('converting', () => {
  it('makes one draft expense, however many convert at once (PO-14, PO-44, PO-45, PO-46, PO-49)', async () => {
    const buyer = await acme.user(ALL)
    const order = await sent({ notes: 'For the office', assigned_to: buyer.id, currency: 'EUR' })
    const replies = await Promise.all(Array.from({ length: 10 }, () => owner.post(`/purchase-orders/${order.id}/convert`)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(9).fill(422)])
    const expense = replies.find(({ status }) => status === 201)!.body.data
    const { title, amount, tax_amount, currency, vendor_id, assigned_to, notes, status } = expense
    assert.deepEqual(
      { title, amount, tax_amount, currency, vendor_id, assigned_to, notes, status },
      {
        title: 'Desks',
        amount: 475.99,
        tax_amount: 76,
        currency: 'EUR',
        vendor_id: vendor,
        assigned_to: buyer.id,
        notes: 'For the office',
        status: 'draft',
      },
    )
    assert.equal(expense.category.name, 'Other')
    assert.equal(expense.expense_date, world.clock.now().slice(0, 10))
    const after = (await owner.get(`/purchase-orders/${order.id}`)).body.data
    assert.deepEqual([after.status, after.converted_expense_id, after.activities[0].type], ['sent', expense.id, 'converted'])
    for (const { body } of replies.filter(({ status }) => status === 422))
      assert.deepEqual(Object.keys(body.errors!), ['purchase_order'])
    assert.equal((await owner.del(`/expenses/${expense.id}`)).status, 200)
    assert.deepEqual(await errorsOf(owner.post(`/purchase-orders/${order.id}/convert`)), {
      status: 422,
      fields: ['purchase_order'],
    })
    // Purging the expense clears the reference, and the order can be converted again.
    assert.equal((await owner.del(`/expenses/${expense.id}/force`)).status, 200)
    assert.equal((await owner.get(`/purchase-orders/${order.id}`)).body.data.converted_expense_id, null)
    const again = await owner.post(`/purchase-orders/${order.id}/convert`)
    assert.deepEqual([again.status, again.body.data.purchase_order_id], [201, order.id])
    await owner.del(`/purchase-orders/${order.id}`)
    await owner.del(`/purchase-orders/${order.id}/force`)
    assert.equal((await owner.get(`/expenses/${again.body.data.id}`)).body.data.purchase_order_id, null)
  })

  it('needs a sent order and the Expenses module (PO-47, PO-48, GEN-11)', async () => {
    const order = await draft()
    assert.deepEqual(await errorsOf(owner.post(`/purchase-orders/${order.id}/convert`)), { status: 422, fields: ['status'] })
    await owner.post(`/purchase-orders/${order.id}/cancel`)
    assert.deepEqual(await errorsOf(owner.post(`/purchase-orders/${order.id}/convert`)), { status: 422, fields: ['status'] })
    const firm = await world.workspace({ modules: ['purchase-orders'] })
    const { id } = (await firm.owner.post('/vendors', { name: 'V' })).body.data
    const theirs = (await firm.owner.post('/purchase-orders', { vendor_id: id, title: 'x' })).body.data
    await firm.owner.post(`/purchase-orders/${theirs.id}/send`)
    const refused = await firm.owner.post(`/purchase-orders/${theirs.id}/convert`)
    assert.equal(refused.status, 422)
    assert.match(refused.body.errors!.purchase_order![0]!, /Expenses module is not available for this workspace/)
  })
})

describe('on paper and by mail', () => {
  it('prints once sent (PO-39)', async () => {
    const order = await draft()
    assert.deepEqual(await errorsOf(owner.get(`/purchase-orders/${order.id}/pdf`)), { status: 422, fields: ['status'] })
    await owner.post(`/purchase-orders/${order.id}/send`)
    await owner.post(`/purchase-orders/${order.id}/cancel`)
    const pdf = await owner.get(`/purchase-orders/${order.id}/pdf`)
    assert.equal(pdf.status, 200)
    assert.equal(pdf.headers['content-type'], 'application/pdf')
    assert.match(String(pdf.headers['content-disposition']), new RegExp(`^attachment; filename="${order.number}.pdf"`))
    assert.equal(pdf.raw.subarray(0, 5).toString(), '%PDF-')
    const never = await draft()
    await owner.post(`/purchase-orders/${never.id}/cancel`)
    assert.deepEqual(await errorsOf(owner.get(`/purchase-orders/${never.id}/pdf`)), { status: 422, fields: ['status'] })
  })

  it('is mailed with its PDF, logged, and limited to ten a minute (PO-40, PO-41)', async () => {
    const mailer = await acme.user([...ALL, 'purchase-orders.assign', 'vendors.view'])
    const order = await sent()
    const body = { subject: 'Our order', message: 'Please confirm.\n\nThank you' }
    const at = `/purchase-orders/${order.id}/email`
    assert.deepEqual(await errorsOf(mailer.post(at, {})), { status: 422, fields: ['subject', 'message'] })
    assert.deepEqual(await errorsOf(mailer.post(at, { ...body, to: ['nobody'] })), { status: 422, fields: ['to.0'] })
    const reply = await mailer.post(at, { ...body, cc: ['boss@acme.test'] })
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body.data.to, ['sales@nordwind.test'])
    await world.drain()
    const [log] = await world.sql('select * from email_logs where uuid = $1', [reply.body.data.email_log_uuid])
    const attached = await world.sql('select name from email_attachments where email_log_id = $1', [log.id])
    assert.deepEqual(
      {
        notification_type: log.notification_type,
        status: log.status,
        provider: log.provider,
        subject: log.subject,
        cc: log.cc,
        files: attached.map(({ name }) => name),
      },
      {
        notification_type: 'purchase_order.emailed',
        status: 'sent',
        provider: 'log',
        subject: 'Our order',
        cc: ['boss@acme.test'],
        files: [`${order.number}.pdf`],
      },
    )
    assert.match(log.body_text, /Please confirm\./)
    for (let n = 0; n < 7; n++) assert.equal((await mailer.post(at, { ...body, attach_pdf: false })).status, 200)
    const limited = await mailer.post(at, body)
    assert.deepEqual([limited.status, limited.body.code], [429, 'TOO_MANY_REQUESTS'])
    assert.ok(Number(limited.headers['retry-after']) > 0)
    assert.equal((await owner.post(at, { ...body, attach_pdf: false })).status, 200)
  })

  it('prints at most thirty times a minute for each user', async () => {
    const order = await sent()
    const eager = await acme.user(['purchase-orders.view', 'purchase-orders.assign'])
    const statuses = []
    for (let n = 0; n < 31; n++) statuses.push((await eager.get(`/purchase-orders/${order.id}/pdf`)).status)
    assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.at(-1)], [30, 429])
    assert.equal((await owner.get(`/purchase-orders/${order.id}/pdf`)).status, 200)
  })

  it('is mailed as it was then, whatever changes before it is drawn', async () => {
    const { id } = (await owner.post('/vendors', { name: 'Before', email: 'v@x.test' })).body.data
    const order = await sent({ vendor_id: id })
    const reply = await owner.post(`/purchase-orders/${order.id}/email`, { subject: 's', message: 'm' })
    await owner.put(`/vendors/${id}`, { name: 'After' })
    const attachment = async () =>
      (
        await world.sql(
          `select a.content, a.drawing #>> '{data,recipient,name}' as vendor from email_attachments a
           join email_logs l on l.tenant_id = a.tenant_id and l.id = a.email_log_id where l.uuid = $1`,
          [reply.body.data.email_log_uuid],
        )
      )[0]
    assert.deepEqual(await attachment(), { content: null, vendor: 'Before' })
    await world.drain()
    const { content, vendor } = await attachment()
    assert.deepEqual([content.subarray(0, 5).toString(), vendor], ['%PDF-', null])
  })

  it('is not mailed as a draft, when cancelled, or to nobody', async () => {
    const body = { subject: 's', message: 'm' }
    const order = await draft()
    assert.deepEqual(await errorsOf(owner.post(`/purchase-orders/${order.id}/email`, body)), { status: 422, fields: ['status'] })
    const mute = (await owner.post('/vendors', { name: 'No address' })).body.data
    const silent = await sent({ vendor_id: mute.id })
    assert.deepEqual(await errorsOf(owner.post(`/purchase-orders/${silent.id}/email`, body)), { status: 422, fields: ['to'] })
    assert.equal((await owner.post(`/purchase-orders/${silent.id}/email`, { ...body, to: ['a@b.test'] })).status, 200)
  })
})

it('shows what is awaited on the dashboard, to whom may see it', async () => {
  const buyer = await acme.user(ALL)
  const order = await draft({ assigned_to: buyer.id })
  await owner.post(`/purchase-orders/${order.id}/send`)
  const widgets = (await buyer.get('/dashboard')).body.data.widgets
  const sentOnes = widgets.find(({ key }: { key: string }) => key === 'sent_purchase_orders')
  assert.deepEqual([sentOnes.data.total_count, sentOnes.data.rows[0].id], [1, order.id])
  const clerk = await acme.user([])
  assert.deepEqual((await clerk.get('/dashboard')).body.data.widgets, [])
})

describe('a vendor that the buyer may not view', () => {
  const HIDDEN = /hidden|DE-4711|Secret/
  let named: number
  let buyer: Person

  before(async () => {
    const details = { email: 'sales@hidden.test', phone: '+49 30 4711', address: 'Secret street 1', tax_id: 'DE-4711' }
    named = (await owner.post('/vendors', { name: 'Visible GmbH', ...details })).body.data.id
    buyer = await acme.user([...ALL, 'purchase-orders.assign'])
  })

  const order = async () => (await draft({ vendor_id: named }, buyer)).id as number
  const sentOrder = async () => {
    const id = await order()
    assert.equal((await buyer.post(`/purchase-orders/${id}/send`)).status, 200)
    return id
  }
  const pdfText = async (pdf: Buffer) => (await textOfPdf(pdf)).texts.join(' ')

  it('is shown by its name alone, and an unknown one is refused', async () => {
    const { body } = await buyer.get(`/purchase-orders/${await order()}`)
    assert.deepEqual(body.data.vendor, { id: named, name: 'Visible GmbH' })
    assert.deepEqual(await errorsOf(buyer.post('/purchase-orders', { vendor_id: 999_999, title: 'Desks' })), {
      status: 422,
      fields: ['vendor_id'],
    })
  })

  it('has no address on the PDF that the buyer gets, and the whole one for who may view it', async () => {
    const id = await sentOrder()
    const pdf = await buyer.get(`/purchase-orders/${id}/pdf`)
    assert.equal(pdf.status, 200)
    assert.match(await pdfText(pdf.raw), /Visible GmbH/)
    assert.doesNotMatch(await pdfText(pdf.raw), HIDDEN)
    assert.match(await pdfText((await owner.get(`/purchase-orders/${id}/pdf`)).raw), /Secret street 1/)
    const issued = await buyer.get(`/purchase-orders/${id}/issued-document`)
    assert.partialDeepStrictEqual(issued, { status: 403, body: { code: 'FORBIDDEN' } })
    assert.equal((await owner.get(`/purchase-orders/${id}/issued-document`)).status, 200)
  })

  it('draws the same preview whatever its address is', async () => {
    const preview = async (by: Person) =>
      (await by.post('/purchase-orders/preview', { vendor_id: named, title: 'Desks' })).body.data.pages[0].svg as string
    const [before, wholeBefore] = [await preview(buyer), await preview(owner)]
    await world.sql(`UPDATE vendors SET address = 'Another secret street 2' WHERE id = $1`, [named])
    const [after, wholeAfter] = [await preview(buyer), await preview(owner)]
    await world.sql(`UPDATE vendors SET address = 'Secret street 1' WHERE id = $1`, [named])
    assert.equal(after, before)
    assert.notEqual(wholeAfter, wholeBefore)
  })

  it('is mailed the whole order, and nobody else is', async () => {
    const id = await sentOrder()
    const mailed = async (more: object, by = buyer) => {
      const { status, body } = await by.post(`/purchase-orders/${id}/email`, { subject: 'Order', message: 'Please', ...more })
      assert.equal(status, 200, body.message)
      await world.drain()
      const [{ content, to }] = await world.sql(
        `SELECT a.content, l."to" FROM email_logs l JOIN email_attachments a ON a.tenant_id = l.tenant_id AND a.email_log_id = l.id
         WHERE l.uuid = $1`,
        [body.data.email_log_uuid],
      )
      return { told: body.data.to, to, text: await pdfText(content) }
    }
    const toVendor = await mailed({})
    assert.partialDeepStrictEqual(toVendor, { told: [], to: ['sales@hidden.test'] })
    assert.match(toVendor.text, /Secret street 1/)
    for (const elsewhere of [{ to: ['me@acme.test'] }, { cc: ['me@acme.test'] }, { bcc: ['me@acme.test'] }])
      assert.doesNotMatch((await mailed(elsewhere)).text, HIDDEN, JSON.stringify(elsewhere))
    const byOwner = await mailed({ cc: ['me@acme.test'] }, owner)
    assert.deepEqual(byOwner.told, ['sales@hidden.test'])
    assert.match(byOwner.text, /Secret street 1/)
  })
})
