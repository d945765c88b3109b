import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { type Reply, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const MODULES = ['products', 'warehouses', 'inventory']
let firm: Workspace
let main: number
let annex: number
let made = 0

before(async () => {
  firm = await world.workspace({ modules: MODULES })
  main = await warehouse('Main')
  annex = await warehouse('Annex')
})

async function warehouse(name: string, of = firm, more = {}): Promise<number> {
  return (await of.owner.post('/warehouses', { name, code: `${name}-${++made}`, ...more })).body.data.id
}

async function product(more = {}, of = firm): Promise<number> {
  return (await of.owner.post('/products', { name: 'Screw', sku: `SCREW-${++made}`, ...more })).body.data.id
}

const adjust = (body: object, by = firm.owner) => by.post('/inventory/stock/adjust', body)
const bringIn = async (product_id: number, quantity: number, warehouse_id = main) =>
  assert.equal((await adjust({ product_id, warehouse_id, type: 'in', quantity })).status, 201)
const stock = async (query = {}, of = firm) => (await of.owner.get('/inventory/stock', { query })).body
const stats = async (query = {}, of = firm) => (await of.owner.get('/inventory/stock/stats', { query })).body.data
const movements = async (product_id: number, query = {}) =>
  (await firm.owner.get('/inventory/stock/movements', { query: { product_id, ...query } })).body
const onHand = async (product_id: number) =>
  (await stock({ product_id })).data.map((row: any) => [row.warehouse.id, row.on_hand]).toSorted()
const refused = ({ status, body }: Reply) => [status, ...Object.keys(body.errors ?? {})]

describe('an adjustment', () => {
  it('brings in, takes out, and sets what is there (INVT-02, INVT-04)', async () => {
    const id = await product({ name: 'Bolt', sku: 'BOLT' })
    const first = await adjust({ product_id: id, warehouse_id: annex, type: 'in', quantity: 10.5, notes: 'Found' })
    assert.equal(first.status, 201)
    const { id: movement, created_at, ...shown } = first.body.data
    assert.deepEqual(shown, {
      type: 'in',
      quantity: 10.5,
      balance_after: 10.5,
      warehouse: { id: annex, name: 'Annex' },
      product: { id, sku: 'BOLT', name: 'Bolt' },
      reference: null,
      notes: 'Found',
      actor: { id: firm.owner.id, name: 'Olive Owner', email: firm.owner.email },
    })
    assert.ok(movement && created_at)
    const figures = async (type: string, quantity: number) => {
      const { data } = (await adjust({ product_id: id, warehouse_id: annex, type, quantity })).body
      return [data.quantity, data.balance_after]
    }
    assert.deepEqual(await figures('out', 0.1), [0.1, 10.4])
    assert.deepEqual(await figures('adjust', 4), [-6.4, 4])
    assert.deepEqual(await figures('adjust', 7.000001), [3.000001, 7.000001])
    assert.deepEqual(await figures('adjust', 7.000001), [0, 7.000001])
    assert.deepEqual(await figures('adjust', 0), [-7.000001, 0])
    assert.deepEqual(await onHand(id), [[annex, 0]])
  })

  it('names what is wrong (INVT-03)', async () => {
    const id = await product()
    const wrong = async (body: object) => refused(await adjust({ product_id: id, type: 'in', quantity: 1, ...body }))
    assert.deepEqual(await wrong({ quantity: 0 }), [422, 'quantity'])
    assert.deepEqual(await wrong({ type: 'out', quantity: 0 }), [422, 'quantity'])
    assert.deepEqual(await wrong({ type: 'out' }), [422, 'quantity'])
    assert.deepEqual(await wrong({ type: 'transfer_in' }), [422, 'type'])
    assert.deepEqual(await wrong({ product_id: await product({ track_stock: false }) }), [422, 'product_id'])
    assert.deepEqual(await wrong({ product_id: 999_999 }), [422, 'product_id'])
    const gone = await product()
    await firm.owner.del(`/products/${gone}`)
    assert.deepEqual(await wrong({ product_id: gone }), [422, 'product_id'])
    const closed = await warehouse('Closed', firm, { is_active: false })
    for (const warehouse_id of [999_999, closed]) assert.deepEqual(await wrong({ warehouse_id }), [422, 'warehouse_id'])
    const other = await world.workspace({ modules: MODULES })
    assert.deepEqual(await wrong({ product_id: await product({}, other) }), [422, 'product_id'])
    assert.deepEqual(await wrong({ warehouse_id: await warehouse('Theirs', other) }), [422, 'warehouse_id'])
    assert.deepEqual(await onHand(id), [])
  })

  it('goes to the default warehouse where none is named (INVT-05)', async () => {
    const id = await product()
    assert.equal((await adjust({ product_id: id, type: 'in', quantity: 2 })).body.data.warehouse.id, main)
    const homeless = await world.workspace({ modules: MODULES })
    const theirs = { product_id: await product({}, homeless), type: 'in', quantity: 1 }
    assert.deepEqual(refused(await adjust(theirs, homeless.owner)), [422, 'warehouse_id'])
    const bare = await world.workspace({ modules: ['products', 'inventory'] })
    const without = { product_id: await product({}, bare), type: 'in', quantity: 1 }
    for (const body of [without, { ...without, warehouse_id: main }])
      assert.deepEqual(refused(await adjust(body, bare.owner)), [422, 'warehouse_id'])
  })

  it('needs its own permission alone, and takes inactive products, whose remains lie there too (INVT-03)', async () => {
    const id = await product({ is_active: false })
    const keeper = await firm.user(['inventory.adjust'])
    assert.equal((await adjust({ product_id: id, type: 'in', quantity: 1 }, keeper)).status, 201)
    assert.equal((await keeper.get('/inventory/stock')).status, 403)
  })

  it('of 50 at once on 30 pieces takes them all, and refuses 20', async () => {
    const id = await product()
    await bringIn(id, 30)
    const replies = await Promise.all(Array.from({ length: 50 }, () => adjust({ product_id: id, type: 'out', quantity: 1 })))
    assert.equal(replies.filter(({ status }) => status === 201).length, 30)
    for (const { status, body } of replies.filter(({ status }) => status !== 201))
      assert.deepEqual([status, body.errors], [422, { quantity: ['Only 0 in stock there, 1 would leave.'] }])
    assert.deepEqual(await onHand(id), [[main, 0]])
    const { data, meta } = await movements(id, { per_page: 100 })
    assert.equal(meta.total, 31)
    assert.deepEqual(
      data.map((movement: any) => movement.balance_after),
      Array.from({ length: 31 }, (_, n) => n),
    )
  })
})

describe('the list of stock', () => {
  it('shows a row for each product and warehouse, and follows the product', async () => {
    const id = await product({ name: 'Nail', sku: 'NAIL', reorder_level: 5 })
    await bringIn(id, 5)
    const [row] = (await stock({ product_id: id })).data
    assert.ok(row.updated_at)
    assert.deepEqual(row, {
      id: row.id,
      product: { id, sku: 'NAIL', name: 'Nail' },
      warehouse: { id: main, name: 'Main' },
      on_hand: 5,
      reorder_level: 5,
      is_low: true,
      updated_at: row.updated_at,
    })
    await firm.owner.put(`/products/${id}`, { name: 'Long nail', sku: 'NAIL-L', reorder_level: 4.5 })
    const [now] = (await stock({ product_id: id })).data
    assert.deepEqual([now.product, now.reorder_level, now.is_low], [{ id, sku: 'NAIL-L', name: 'Long nail' }, 4.5, false])
    await firm.owner.put(`/products/${id}`, { reorder_level: 0 })
    await adjust({ product_id: id, type: 'adjust', quantity: 0 })
    assert.equal((await stock({ product_id: id })).data[0].is_low, false)
  })

  it('is filtered, searched, sorted, paged and counted (INVT-18, INVT-19)', async () => {
    const shop = await world.workspace({ modules: MODULES })
    const [a, b] = [await warehouse('A', shop), await warehouse('B', shop)]
    const ids: number[] = []
    for (const { sku, name, reorder_level } of [
      { sku: 'X-1', name: 'Oak desk', reorder_level: 0 },
      { sku: 'X-2', name: 'Elm desk', reorder_level: 3 },
      { sku: 'Y-3', name: 'Lamp', reorder_level: 2 },
    ] as const)
      ids.push(await product({ sku, name, reorder_level }, shop))
    const [oak, elm, lamp] = ids as [number, number, number]
    for (const { product_id, warehouse_id, quantity } of [
      { product_id: oak, warehouse_id: a, quantity: 10 },
      { product_id: elm, warehouse_id: a, quantity: 3 },
      { product_id: elm, warehouse_id: b, quantity: 4 },
      { product_id: lamp, warehouse_id: b, quantity: 0 },
    ])
      await adjust({ product_id, warehouse_id, type: 'adjust', quantity }, shop.owner)
    const seen = async (query: object) => {
      const { data, meta } = await stock(query, shop)
      assert.equal(meta.total, data.length)
      return data.map((row: any) => `${row.product.sku} ${row.warehouse.name} ${row.on_hand}`)
    }
    assert.deepEqual(await seen({}), ['Y-3 B 0', 'X-2 B 4', 'X-2 A 3', 'X-1 A 10'])
    assert.deepEqual(await seen({ product_id: elm }), ['X-2 B 4', 'X-2 A 3'])
    assert.deepEqual(await seen({ warehouse_id: a }), ['X-2 A 3', 'X-1 A 10'])
    assert.deepEqual(await seen({ low_stock: true }), ['Y-3 B 0', 'X-2 A 3'])
    assert.deepEqual(await seen({ low_stock: 0, warehouse_id: b }), ['X-2 B 4'])
    assert.deepEqual(await seen({ search: 'DESK', sort: 'name', direction: 'asc' }), ['X-2 A 3', 'X-2 B 4', 'X-1 A 10'])
    assert.deepEqual(await seen({ search: 'y-' }), ['Y-3 B 0'])
    assert.deepEqual(await seen({ search: 'nothing such' }), [])
    assert.deepEqual(await seen({ sort: 'on_hand', direction: 'asc' }), ['Y-3 B 0', 'X-2 A 3', 'X-2 B 4', 'X-1 A 10'])
    assert.deepEqual(await seen({ sort: 'sku', direction: 'asc' }), ['X-1 A 10', 'X-2 A 3', 'X-2 B 4', 'Y-3 B 0'])
    const page = await stock({ sort: 'sku', direction: 'asc', per_page: 3, page: 2 }, shop)
    assert.deepEqual([page.data.length, page.data[0].product.sku, page.meta.total], [1, 'Y-3', 4])
    assert.deepEqual(refused(await shop.owner.get('/inventory/stock', { query: { sort: 'colour' } })), [422, 'sort'])

    assert.deepEqual(await stats({}, shop), { total_skus_with_stock: 2, low_stock_count: 2, total_on_hand: 17 })
    assert.deepEqual(await stats({ warehouse_id: b }, shop), { total_skus_with_stock: 1, low_stock_count: 1, total_on_hand: 4 })
    const none = { total_skus_with_stock: 0, low_stock_count: 0, total_on_hand: 0 }
    assert.deepEqual(await stats({ search: 'nothing such' }, shop), none)
    const { data } = (await shop.owner.get('/dashboard')).body
    assert.equal(data.widgets.find(({ key }: { key: string }) => key === 'low_stock').data.total_count, 2)
  })
})

describe('the movements of a product', () => {
  it('come the newest first, of one warehouse or of all, and tell their document (INVT-20)', async () => {
    const id = await product()
    await bringIn(id, 1)
    await bringIn(id, 2, annex)
    await bringIn(id, 3)
    const seen = async (query = {}) => (await movements(id, query)).data.map((movement: any) => movement.quantity)
    assert.deepEqual(await seen(), [3, 2, 1])
    assert.deepEqual(await seen({ warehouse_id: main }), [3, 1])
    assert.deepEqual(await seen({ per_page: 1, page: 2 }), [2])
    assert.equal((await movements(id)).meta.total, 3)
  })

  it('must be asked of one (INVT-20)', async () => {
    assert.deepEqual(refused(await firm.owner.get('/inventory/stock/movements')), [422, 'product_id'])
    const other = await world.workspace({ modules: MODULES })
    assert.deepEqual((await movements(await product({}, other))).data, [])
  })
})

describe('what lies in a warehouse', () => {
  it('keeps its product from being deleted and from being untracked, until nothing is left', async () => {
    const id = await product()
    await bringIn(id, 2)
    const deletion = async () => {
      const { data } = (await firm.owner.get(`/products/${id}/actions`)).body
      return data.find(({ key }: { key: string }) => key === 'deleteProduct').reason?.message ?? null
    }
    assert.equal(await deletion(), 'Some of this product is in stock: take it out first.')
    assert.deepEqual(refused(await firm.owner.del(`/products/${id}`)), [422, 'product'])
    assert.deepEqual(refused(await firm.owner.put(`/products/${id}`, { track_stock: false })), [422, 'track_stock'])
    assert.equal((await firm.owner.put(`/products/${id}`, { is_active: false, track_stock: true })).status, 200)
    await adjust({ product_id: id, type: 'adjust', quantity: 0 })
    assert.equal((await firm.owner.put(`/products/${id}`, { track_stock: false })).status, 200)
    assert.deepEqual(await onHand(id), [])
    await firm.owner.put(`/products/${id}`, { track_stock: true })
    await bringIn(id, 1)
    assert.deepEqual(await onHand(id), [[main, 1]])
    await adjust({ product_id: id, type: 'out', quantity: 1 })
    assert.equal(await deletion(), null)
    assert.equal((await firm.owner.del(`/products/${id}`)).status, 200)
    assert.deepEqual(await onHand(id), [])
    assert.equal((await movements(id)).meta.total, 4)
    assert.equal((await firm.owner.post(`/products/${id}/restore`)).status, 200)
    await bringIn(id, 1)
    assert.deepEqual(await onHand(id), [[main, 1]])
  })

  it('keeps its warehouse from being deleted and from being closed, until nothing is left', async () => {
    const cellar = await warehouse('Cellar')
    const id = await product()
    await bringIn(id, 2, cellar)
    const deletion = async () => {
      const { data } = (await firm.owner.get(`/warehouses/${cellar}/actions`)).body
      return data.find(({ key }: { key: string }) => key === 'deleteWarehouse').reason?.message ?? null
    }
    assert.equal(await deletion(), 'There is stock in this warehouse: move it out first.')
    assert.deepEqual(refused(await firm.owner.del(`/warehouses/${cellar}`)), [422, 'warehouse'])
    assert.deepEqual(refused(await firm.owner.put(`/warehouses/${cellar}`, { is_active: false })), [422, 'is_active'])
    assert.equal((await firm.owner.put(`/warehouses/${cellar}`, { name: 'Vault' })).status, 200)
    await adjust({ product_id: id, warehouse_id: cellar, type: 'out', quantity: 2 })
    assert.equal((await firm.owner.put(`/warehouses/${cellar}`, { is_active: false })).status, 200)
    assert.deepEqual(await onHand(id), [])
    assert.equal(await deletion(), null)
    assert.equal((await firm.owner.del(`/warehouses/${cellar}`)).status, 200)
    assert.deepEqual(refused(await firm.owner.del(`/warehouses/${cellar}/force`)), [422, 'warehouse'])
  })

  it('is never left behind by a deletion or a closing of the same moment', async () => {
    const last = async (id: number, table: string, change: string, field: string) => {
      let adjusting!: Promise<Reply>
      await firm.inside(async (ctx) => {
        await sql`select from ${sql.table(table)} where tenant_id = ${firm.id} and id = ${id} for update`.execute(ctx.tx)
        const places = { product_id: await product(), warehouse_id: main, [field]: id }
        adjusting = adjust({ ...places, type: 'in', quantity: 1 })
        while (!(await waiting())) {} // until the call has validated both and waits for the lock
        await sql`update ${sql.table(table)} set ${sql.raw(change)} where tenant_id = ${firm.id} and id = ${id}`.execute(ctx.tx)
      })
      assert.deepEqual(refused(await adjusting), [422, field])
    }
    await last(await product(), 'products', 'deleted_at = now()', 'product_id')
    await last(await product(), 'products', 'track_stock = false', 'product_id')
    await last(await warehouse('Cellar'), 'warehouses', 'is_active = false', 'warehouse_id')
    await last(await warehouse('Cellar'), 'warehouses', 'deleted_at = now()', 'warehouse_id')

    for (let n = 0; n < 5; n++) {
      const id = await product()
      const [posted, deleted] = await Promise.all([
        adjust({ product_id: id, type: 'in', quantity: 1 }),
        firm.owner.del(`/products/${id}`),
      ])
      assert.deepEqual([posted.status, deleted.status].toSorted(), posted.status === 201 ? [201, 422] : [200, 422])
    }
  })
})

/** Whether a transaction waits for a row lock. On a cluster, the node with the row knows. */
const waiting = async () => {
  const waits = world.services.database.isCluster
    ? 'SELECT FROM citus_lock_waits'
    : `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  return (await world.sql(waits)).length > 0
}
