/** Stock events for API clients. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Client, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const START = Date.parse('2027-03-01T09:00:00.000Z')
let acme: Workspace
let main: number
let annex: number
let made = 0

before(async () => {
  world.clock.set(new Date(START).toISOString())
  acme = await world.workspace({ modules: ['products', 'warehouses', 'inventory'] })
  main = (await acme.owner.post('/warehouses', { name: 'Main', code: 'M' })).body.data.id
  annex = (await acme.owner.post('/warehouses', { name: 'Annex', code: 'A' })).body.data.id
})

const product = async (): Promise<number> =>
  (await acme.owner.post('/products', { name: 'Screw', sku: `SCREW-${++made}` })).body.data.id
const adjust = (product_id: number, type: string, quantity: number) =>
  acme.owner.post('/inventory/stock/adjust', { product_id, warehouse_id: main, type, quantity })
const here = async () => (await acme.owner.get('/events', { query: { limit: 1000 } })).body.meta!.next_after as number
const heard = async (by: Client, after: number, types = 'stock_level.*') => {
  const { body, status } = await by.get('/events', { query: { after, types } })
  assert.equal(status, 200, body.message)
  return body.data as any[]
}
const levels = async (query: object) => (await acme.owner.get('/inventory/stock', { query: query as never })).body.data as any[]

describe('events of stock', () => {
  it('say where, how much, and why', async () => {
    const id = await product()
    const after = await here()
    await adjust(id, 'in', 10.5)
    await adjust(id, 'out', 0.5)
    await adjust(id, 'adjust', 7)
    const all = await heard(acme.owner, after)
    assert.deepEqual(
      all.map(({ type, data, changed }) => [type, data.reason, changed.on_hand]),
      [
        ['stock_level.changed', 'in', [0, 10.5]],
        ['stock_level.changed', 'out', [10.5, 10]],
        ['stock_level.changed', 'adjust', [10, 7]],
      ],
    )
    const [level] = await levels({ product_id: id })
    assert.deepEqual(all[0].subject, { type: 'stock_level', id: level.id, label: 'Screw' })
    assert.deepEqual(all[0].data, { product_id: id, warehouse_id: main, reason: 'in', reference: null })
    assert.deepEqual(
      (await levels({ ids: String(level.id) })).map((row) => [row.product.id, row.on_hand]),
      [[id, 7]],
    )
  })

  it('are told for each movement of a transfer, with the document behind it', async () => {
    const id = await product()
    await adjust(id, 'in', 5)
    const body = { from_warehouse_id: main, to_warehouse_id: annex, lines: [{ product_id: id, quantity: 2 }] }
    const transfer = (await acme.owner.post('/inventory/transfers', body)).body.data
    await acme.owner.post(`/inventory/transfers/${transfer.id}/dispatch`)
    const after = await here()
    assert.equal((await acme.owner.post(`/inventory/transfers/${transfer.id}/complete`)).status, 200)
    const all = await heard(acme.owner, after)
    assert.deepEqual(
      all.map(({ data, changed }) => [data.reason, data.warehouse_id, changed.on_hand]),
      [
        ['transfer_out', main, [5, 3]],
        ['transfer_in', annex, [0, 2]],
      ],
    )
    assert.deepEqual(all[0].data.reference, { type: 'stock_transfer', id: transfer.id, number: transfer.number })
  })

  it('are not told of what was refused, tried, or counted as it was expected', async () => {
    const id = await product()
    await adjust(id, 'in', 3)
    const after = await here()
    assert.equal((await adjust(id, 'out', 4)).status, 422)
    assert.equal((await adjust(id, 'adjust', 3)).status, 201)
    const tried = { product_id: id, warehouse_id: main, type: 'in', quantity: 1 }
    assert.equal((await acme.owner.post('/inventory/stock/adjust', tried, { headers: { 'Dry-Run': 'true' } })).status, 201)
    assert.deepEqual(await heard(acme.owner, after), [])
  })

  it('are told to whoever sees stock, and to nobody else', async () => {
    const id = await product()
    const after = await here()
    await adjust(id, 'in', 1)
    assert.equal((await heard(await acme.user(['inventory.view']), after)).length, 1)
    assert.deepEqual(await heard(await acme.user(['products.view', 'warehouses.view']), after), [])
  })

  it('end when the level goes with its product', async () => {
    const id = await product()
    await adjust(id, 'in', 1)
    await adjust(id, 'out', 1)
    const after = await here()
    assert.equal((await acme.owner.del(`/products/${id}`)).status, 200)
    assert.deepEqual(
      (await heard(acme.owner, after)).map(({ type, subject }) => [type, subject.label]),
      [['stock_level.force_deleted', 'Screw']],
    )
  })
})

describe('the list of stock', () => {
  it('answers what was changed since, also when the product is called otherwise', async () => {
    const id = await product()
    await adjust(id, 'in', 1)
    world.clock.set(new Date(START + 3_600_000).toISOString())
    const since = world.clock.now()
    assert.deepEqual(await levels({ updated_since: since }), [])
    await acme.owner.put(`/products/${id}`, { reorder_level: 9 })
    assert.deepEqual(
      (await levels({ updated_since: since })).map(({ product, is_low }) => [product.id, is_low]),
      [[id, true]],
    )
  })

  it('is exported by whoever may, under its filters', async () => {
    const id = await product()
    await adjust(id, 'in', 4)
    const { status, raw } = await acme.owner.get('/inventory/stock/export', { query: { product_id: String(id) } })
    assert.equal(status, 200)
    const [head, row, ...more] = raw!.toString().replace('\ufeff', '').trim().split('\r\n')
    assert.match(head!, /Product.*Warehouse.*On hand/)
    assert.match(row!, /Main.*4/)
    assert.deepEqual(more, [])
    const seer = await acme.user(['inventory.view'])
    assert.equal((await seer.get('/inventory/stock/export')).status, 403)
  })
})
