import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { calendarOf, fillDemo, inOrder, type Progress } from '#kernel/modules/demo.ts'
import { type Client, PASSWORD, startTest } from '#test/harness.ts'
import { type DemoWorkspace, makeDemoWorkspace } from './demo.ts'

const world = await startTest()
const reports: Progress[] = []
let workspace: DemoWorkspace
let owner: Client

before(async () => {
  workspace = await makeDemoWorkspace(world.services, PASSWORD)
  await fillDemo(world.services, workspace.id, { records: 30, seed: 1, report: (progress) => reports.push(progress) })
  owner = await signedIn(workspace.email)
})

async function signedIn(email: string) {
  const { body } = await world.anonymous.post('/auth/login', { email, password: PASSWORD, workspace: workspace.slug })
  return world.tenant(body.data.token)
}

/** Rows that must not be. */
const none = async (text: string) => assert.deepEqual(await world.sql(text.replaceAll('$1', String(workspace.id))), [])

describe('the demo', () => {
  it('fills every module that has a part, each once, behind those it needs', () => {
    const filled = reports.filter(({ made }) => made !== undefined).map(({ module }) => module.key)
    assert.deepEqual(new Set(filled).size, filled.length)
    for (const [first, then] of [
      ['users', 'vendors'],
      ['vendors', 'purchase-orders'],
      ['products', 'purchase-orders'],
      ['purchase-orders', 'expenses'],
      ['purchase-orders', 'inventory'],
    ] as const)
      assert.ok(filled.indexOf(first) >= 0 && filled.indexOf(first) < filled.indexOf(then), `${first} before ${then}`)
  })

  it('refuses parts that wait for each other', () => {
    const part = (key: string, after: string[]) => ({
      module: { key, title: key, surface: 'workspace' as const, folder: '' },
      demo: { after, fill: async () => 0 },
    })
    assert.throws(() => inOrder([part('a', ['b']), part('b', ['a'])]), /comes after itself/)
  })

  it('can be signed in to, by the owner and by colleagues', async () => {
    assert.equal((await owner.get('/me')).body.data.user.email, workspace.email)
    const { data } = (await owner.get('/users', { query: { suspended: 'false' } })).body
    const colleague = data.find((user: { email: string }) => user.email !== workspace.email)
    assert.equal((await (await signedIn(colleague.email)).get('/me')).status, 200)
  })

  it('has totals that are the sums of their lines', () =>
    none(`
      SELECT o.number FROM purchase_orders o JOIN purchase_order_lines l ON l.tenant_id = o.tenant_id AND l.purchase_order_id = o.id
      WHERE o.tenant_id = $1 GROUP BY o.tenant_id, o.id
      HAVING o.subtotal <> sum(l.net) OR o.tax_total <> sum(l.tax) OR o.total <> sum(l.net + l.tax) OR count(*) > 12`))

  it('has tallies that equal the counts', async () => {
    for (const table of ['purchase_orders', 'expenses']) {
      const columns = 'status, assigned_to, trashed'
      const kept = `SELECT ${columns}, sum(n) AS n FROM record_tallies WHERE tenant_id = $1 AND kind = '${table}' GROUP BY 1, 2, 3 HAVING sum(n) <> 0`
      const counted = `SELECT status, assigned_to, deleted_at IS NOT NULL AS trashed, count(*) AS n FROM ${table} WHERE tenant_id = $1 GROUP BY 1, 2, 3`
      await none(`(${kept} EXCEPT ${counted}) UNION ALL (${counted} EXCEPT ${kept})`)
    }
  })

  it('has a stock ledger that adds up and never went below zero', async () => {
    await none(`
      SELECT l.product_id FROM stock_levels l LEFT JOIN stock_movements m USING (tenant_id, product_id, warehouse_id)
      WHERE tenant_id = $1 GROUP BY l.tenant_id, l.product_id, l.warehouse_id HAVING l.on_hand <> coalesce(sum(m.change), 0)`)
    await none(`
      SELECT id FROM (SELECT id, balance_after, sum(change) OVER (PARTITION BY product_id, warehouse_id ORDER BY id) AS sum
        FROM stock_movements WHERE tenant_id = $1) m WHERE balance_after <> sum`)
  })

  it('has moved stock once for each line of a received order, and for no other', () =>
    none(`
      SELECT l.id FROM purchase_order_lines l
      JOIN purchase_orders o ON o.tenant_id = l.tenant_id AND o.id = l.purchase_order_id
      JOIN products p ON p.tenant_id = l.tenant_id AND p.id = l.product_id
      LEFT JOIN stock_movements m ON m.tenant_id = l.tenant_id AND m.reference_line_id = l.id AND m.type = 'in' AND m.change = l.quantity
      WHERE l.tenant_id = $1 AND (m.id IS NOT NULL) <> (o.status = 'received' AND p.track_stock)`))

  it('tells of each record how it came to where it is', async () => {
    for (const table of ['purchase_orders', 'expenses'])
      await none(`
        SELECT r.id FROM ${table} r JOIN activities a ON a.tenant_id = r.tenant_id AND a.subject_type = '${table}' AND a.subject_id = r.id
        WHERE r.tenant_id = $1 GROUP BY r.tenant_id, r.id
        HAVING count(*) FILTER (WHERE a.type = 'created') <> 1 OR count(*) FILTER (WHERE a.type <> 'note_added') <> r.revision
          OR coalesce((array_agg(a.properties ->> 'to' ORDER BY a.created_at DESC) FILTER (WHERE a.type = 'status_changed'))[1], 'draft') <> r.status
          OR min(a.created_at) <> r.created_at OR max(a.created_at) FILTER (WHERE a.type <> 'note_added') <> r.updated_at
          OR max(a.created_at) > now()`)
  })

  it('has converted some orders, and each knows its expense', async () => {
    await none(`
      SELECT e.id FROM expenses e LEFT JOIN purchase_orders o ON o.tenant_id = e.tenant_id AND o.id = e.purchase_order_id
      WHERE e.tenant_id = $1 AND e.purchase_order_id IS NOT NULL AND (o.converted_expense_id = e.id AND o.total = e.amount) IS NOT TRUE`)
    const { data } = (await owner.get('/purchase-orders', { query: { per_page: 100 } })).body
    assert.ok(data.some((order: { converted_expense_id: number | null }) => order.converted_expense_id))
  })

  it('can be listed, shown and printed', async () => {
    for (const path of ['/users', '/roles', '/vendors', '/products', '/warehouses', '/purchase-orders', '/expenses']) {
      const list = await owner.get(path, { query: { per_page: 100 } })
      assert.equal(list.status, 200, path)
      assert.ok(list.body.data.length >= 3, path)
      for (const { id } of list.body.data.slice(0, 3)) assert.equal((await owner.get(`${path}/${id}`)).status, 200, path)
    }
    const { data } = (await owner.get('/purchase-orders', { query: { status: 'received' } })).body
    const pdf = await owner.get(`/purchase-orders/${data[0].id}/pdf`)
    assert.equal(pdf.raw.subarray(0, 5).toString(), '%PDF-')
  })

  it('goes on with the next number', async () => {
    const [vendor] = (await owner.get('/vendors')).body.data
    const { body } = await owner.post('/purchase-orders', { vendor_id: vendor.id, title: 'The next one' })
    assert.equal(body.data.number, 'PO-00031')
  })

  it('may be made again beside the first', async () => {
    const second = await makeDemoWorkspace(world.services, PASSWORD)
    assert.equal(second.slug, `${workspace.slug}-2`)
    await fillDemo(world.services, second.id, { records: 5, seed: 2 })
  })
})

describe('the calendar of the demo', () => {
  it('counts working days up to now', () => {
    const friday = calendarOf('Europe/Berlin', '2026-11-20T12:00:00Z') // half past the fifth hour of ten
    assert.equal(friday.instant(friday.days), undefined)
    assert.equal(friday.instant(Math.floor(friday.days)), '2026-11-20T07:00:00.000Z')
    assert.equal(friday.dayOf('2026-11-20T12:00:00Z'), friday.days)
    const sunday = calendarOf('Europe/Berlin', '2026-11-22T12:00:00Z')
    assert.match(sunday.instant(sunday.days - 0.01)!, /^2026-11-20T16:5/)
    assert.equal(friday.date(0, 3), '2025-05-23')
  })
})
