import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { referable } from '#kernel/modules/subjects.ts'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let acme: Workspace
let other: Workspace

before(async () => {
  acme = await world.workspace({ modules: ['products'] })
  other = await world.workspace({ modules: ['products'] })
})

const product = async (fields: object, of = acme) => (await of.owner.post('/products', fields)).body.data

describe('products', () => {
  it('may have the SKUs of another workspace', async () => {
    await product({ name: 'Theirs', sku: 'SHARED' }, other)
    assert.equal((await acme.owner.post('/products', { name: 'Ours', sku: 'SHARED' })).status, 201)
  })

  it('name each wrong field', async () => {
    const { status, body } = await acme.owner.post('/products', {
      sku: 'x'.repeat(101),
      unit_price: -1,
      tax_rate: 100.5,
      reorder_level: 0.0000001,
      track_stock: 'yes',
    })
    assert.equal(status, 422)
    assert.deepEqual(Object.keys(body.errors!).sort(), ['name', 'reorder_level', 'sku', 'tax_rate', 'track_stock', 'unit_price'])
  })

  it('are created with defaults, shown, changed, searched and filtered', async () => {
    const created = await acme.owner.post('/products', { name: 'Oak desk', sku: 'DESK-160' })
    assert.equal(created.status, 201)
    const { id, unit_price, tax_rate, track_stock, reorder_level, is_active, search_text } = created.body.data
    assert.deepEqual(
      { unit_price, tax_rate, track_stock, reorder_level, is_active, search_text },
      { unit_price: 0, tax_rate: 0, track_stock: true, reorder_level: 0, is_active: true, search_text: undefined },
    )
    const saved = await acme.owner.put(`/products/${id}`, { unit_price: 489.123456, tax_rate: 19, track_stock: false })
    assert.equal(saved.body.data.unit_price, 489.123456)
    assert.equal(saved.body.data.name, 'Oak desk')
    assert.match(String((await acme.owner.get(`/products/${id}`)).headers.etag), new RegExp(`^"${id}-2-`))
    const queries: Record<string, string | boolean>[] = [{ search: 'K-16' }, { search: 'oak' }, { track_stock: false }]
    for (const query of queries)
      assert.deepEqual(
        (await acme.owner.get('/products', { query })).body.data.map((found: { id: number }) => found.id),
        [id],
      )
  })

  it('share no SKU among those not deleted, also when two come at once', async () => {
    const [first, second] = await Promise.all([
      acme.owner.post('/products', { name: 'Chair', sku: 'CHAIR' }),
      acme.owner.post('/products', { name: 'Chair too', sku: 'CHAIR' }),
    ])
    assert.deepEqual([first.status, second.status].sort(), [201, 422])
    const [taken, made] = first.status === 422 ? [first, second] : [second, first]
    assert.ok(taken.body.errors?.sku)

    const lamp = await product({ name: 'Lamp', sku: 'LAMP' })
    assert.ok((await acme.owner.put(`/products/${lamp.id}`, { sku: 'CHAIR' })).body.errors?.sku)
    await acme.owner.del(`/products/${made.body.data.id}`)
    assert.equal((await acme.owner.put(`/products/${lamp.id}`, { sku: 'CHAIR' })).status, 200)
    const back = await acme.owner.post(`/products/${made.body.data.id}/restore`)
    assert.equal(back.status, 422)
    assert.ok(back.body.errors?.sku)
    await acme.owner.put(`/products/${lamp.id}`, { sku: 'LAMP' })
    assert.equal((await acme.owner.post(`/products/${made.body.data.id}/restore`)).body.data.deleted_at, null)
  })

  it('are referred to by other modules only live, active, of the workspace, and while the module is installed', async () => {
    const desk = await product({ name: 'Desk', sku: 'P-1' })
    const idle = await product({ name: 'Idle', sku: 'P-2', is_active: false })
    const gone = await product({ name: 'Gone', sku: 'P-3' })
    await acme.owner.del(`/products/${gone.id}`)
    const theirs = await product({ name: 'Theirs', sku: 'P-1' }, other)
    const ids = [desk.id, desk.id, idle.id, gone.id, theirs.id]
    const found = await acme.inside((ctx) => referable(ctx, 'product', ids))
    assert.deepEqual([...found.values()], [{ id: desk.id, title: 'Desk' }])
    assert.equal((await acme.inside((ctx) => referable(ctx, 'product', []))).size, 0)
    assert.equal((await acme.inside((ctx) => referable({ ...ctx, entitled: () => false }, 'product', ids))).size, 0)
  })
})
