import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { HttpError } from '#kernel/errors.ts'
import { startTest, type Workspace } from '#test/harness.ts'
import { type Movement, postStock, stockIsOn } from './public.ts'

const world = await startTest()
let acme: Workspace
let main: number
let annex: number
let made = 0

before(async () => {
  acme = await world.workspace({ modules: ['products', 'warehouses', 'inventory'] })
  main = (await acme.owner.post('/warehouses', { name: 'Main', code: 'M' })).body.data.id
  annex = (await acme.owner.post('/warehouses', { name: 'Annex', code: 'A' })).body.data.id
})

const product = async (): Promise<number> =>
  (await acme.owner.post('/products', { name: 'Screw', sku: `SCREW-${++made}` })).body.data.id

const post = (movements: Movement[]) => acme.inside((ctx) => postStock(ctx, movements))
const move = (type: Movement['type'], product_id: number, quantity: string, more: Partial<Movement> = {}): Movement => ({
  product_id,
  warehouse_id: main,
  type,
  quantity,
  ...more,
})

const onHand = async (product_id: number, warehouse_id = main) =>
  (await world.sql('SELECT on_hand FROM stock_levels WHERE product_id = $1 AND warehouse_id = $2', [product_id, warehouse_id]))[0]
    ?.on_hand

const balances = async (product_id: number) =>
  (
    await world.sql('SELECT abs(change) AS quantity, balance_after FROM stock_movements WHERE product_id = $1 ORDER BY id', [
      product_id,
    ])
  ).map(({ quantity, balance_after }) => [Number(quantity), Number(balance_after)])

/** Levels that are not the sum of their movements. There must never be any. */
const drifted = () =>
  world.sql(`
    SELECT l.product_id, l.warehouse_id, l.on_hand, sum(m.change) FROM stock_levels l
    LEFT JOIN stock_movements m USING (tenant_id, product_id, warehouse_id)
    GROUP BY l.tenant_id, l.product_id, l.warehouse_id HAVING l.on_hand <> coalesce(sum(m.change), 0)`)

/** Results of concurrent calls: 'done' or the status of the error. */
const outcomes = async (calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls))
    .map((call) => (call.status === 'fulfilled' ? 'done' : call.reason instanceof HttpError ? call.reason.status : call.reason))
    .sort()

describe('the stock ledger', () => {
  it('gives each movement the balance that it leaves, also several of one product in one call', async () => {
    const [a, b] = [await product(), await product()]
    await post([
      move('in', b, '5'),
      move('in', a, '10.5'),
      move('out', a, '0.1'),
      move('out', a, '0.2'),
      move('in', a, '3', { warehouse_id: annex }),
    ])
    assert.deepEqual(await balances(a), [
      [10.5, 10.5],
      [0.1, 10.4],
      [0.2, 10.2],
      [3, 3],
    ])
    assert.equal(await onHand(a), '10.200000')
    assert.equal(await onHand(a, annex), '3.000000')
    assert.equal(await onHand(b), '5.000000')
  })

  it('keeps exact decimals', async () => {
    const id = await product()
    await post(Array.from({ length: 10 }, () => move('in', id, '0.1')))
    await post([move('out', id, '0.999999')])
    assert.equal(await onHand(id), '0.000001')
    await post([move('in', id, '999999998.999999')])
    assert.equal(await onHand(id), '999999999.000000')
  })

  it('holds no more than a JSON number can tell', async () => {
    const id = await product()
    await post([move('in', id, '999999999')])
    await assert.rejects(post([move('in', id, '0.000001')]), {
      status: 422,
      errors: { quantity: ['There would be 999999999.000001 in stock there, and at most 999999999 can be.'] },
    })
  })

  it('sets what is there by an adjustment, and keeps the difference (INVT-04)', async () => {
    const id = await product()
    const changes = async () =>
      (await world.sql('SELECT change FROM stock_movements WHERE product_id = $1 ORDER BY id', [id])).map(({ change }) =>
        Number(change),
      )
    await post([
      move('adjust', id, '8'),
      move('out', id, '1'),
      move('adjust', id, '2.5'),
      move('adjust', id, '2.5'),
      move('adjust', id, '0'),
    ])
    assert.deepEqual(await changes(), [8, -1, -4.5, 0, -2.5])
    assert.equal(await onHand(id), '0.000000')
  })

  it('tells which document moved what, and who did it', async () => {
    const id = await product()
    const reference = { type: 'purchase_orders', id: 7, number: 'PO-00007', line_id: 70 }
    await post([move('in', id, '2', { notes: 'Left at the gate', reference })])
    const [movement] = await world.sql('SELECT * FROM stock_movements WHERE product_id = $1', [id])
    const { reference_type, reference_id, reference_number, reference_line_id, notes, actor_id, type } = movement
    assert.deepEqual(
      [type, reference_type, Number(reference_id), reference_number, Number(reference_line_id), notes, actor_id],
      ['in', 'purchase_order', 7, 'PO-00007', 70, 'Left at the gate', null],
    )
  })

  it('refuses what is not there, by field, and posts nothing of such a call (INVT-06)', async () => {
    const [a, b] = [await product(), await product()]
    await post([move('in', a, '3')])
    await assert.rejects(post([move('out', a, '3.000001')]), {
      status: 422,
      errors: { quantity: ['Only 3 in stock there, 3.000001 would leave.'] },
    })
    const lines = [
      move('transfer_out', a, '2', { fields: { quantity: 'lines.0.quantity' } }),
      move('transfer_in', a, '2', { warehouse_id: annex, fields: { quantity: 'lines.0.quantity' } }),
      move('transfer_out', a, '2', { fields: { quantity: 'lines.1.quantity' } }),
      move('transfer_out', b, '1', { fields: { quantity: 'lines.2.quantity' } }),
      move('transfer_out', a, '1.5', { fields: { quantity: 'lines.3.quantity' } }),
    ]
    await assert.rejects(post(lines), {
      errors: {
        'lines.1.quantity': ['Only 1 in stock there, 2 would leave.'],
        'lines.2.quantity': ['Only 0 in stock there, 1 would leave.'],
        'lines.3.quantity': ['Only 1 in stock there, 1.5 would leave.'],
      },
    })
    assert.equal(await onHand(a), '3.000000')
    assert.equal(await onHand(a, annex), undefined)
    assert.equal(await onHand(b), undefined)
  })

  it('is guarded by the database too', async () => {
    const id = await product()
    await post([move('in', id, '1')])
    await assert.rejects(
      world.sql('UPDATE stock_levels SET on_hand = -1 WHERE product_id = $1', [id]),
      /stock_levels_not_negative/,
    )
    await assert.rejects(
      acme.inside((ctx) => ctx.tx.updateTable('stock_movements').set({ notes: 'x' }).execute()),
      /permission denied/,
    )
    await post([move('out', id, '1')])
    await acme.owner.del(`/products/${id}`)
    assert.ok((await acme.owner.del(`/products/${id}/force`)).body.errors?.product)
  })

  it('keeps no stock of what is not tracked, nor in a closed warehouse, also when they change at that moment (INVT-06)', async () => {
    const untracked = await product()
    await acme.owner.put(`/products/${untracked}`, { track_stock: false })
    await assert.rejects(post([move('in', untracked, '1')]), {
      status: 422,
      errors: { product_id: ['Stock of this product is not kept.'] },
    })
    const closed = (await acme.owner.post('/warehouses', { name: 'Closed', code: 'C', is_active: false })).body.data.id
    const fields = { warehouse_id: 'to_warehouse_id' }
    await assert.rejects(post([move('in', await product(), '1', { warehouse_id: closed, fields })]), {
      errors: { to_warehouse_id: ['This warehouse is closed.'] },
    })
    for (let n = 0; n < 10; n++) {
      const id = await product()
      const untrack = acme.owner.put(`/products/${id}`, { track_stock: false }).then(({ status }) => status)
      const [posted] = await outcomes([post([move('in', id, '1')])])
      assert.equal(posted === 'done' ? 422 : 200, await untrack)
    }
  })

  it('posts a line of a document once, whatever races', async () => {
    const [a, b] = [await product(), await product()]
    const reference = { type: 'purchase_orders', id: 8, number: 'PO-00008', line_id: 80 }
    const call = () => post([move('in', a, '4', { reference }), move('in', b, '6', { reference: { ...reference, line_id: 81 } })])
    assert.deepEqual(await outcomes([call(), call(), call()]), [409, 409, 'done'])
    assert.equal(await onHand(a), '4.000000')
    // Not even to another warehouse, where the calls don't compete for a level.
    const elsewhere = [main, annex].map((warehouse_id) =>
      post([move('in', a, '4', { warehouse_id, reference: { ...reference, line_id: 82 } })]),
    )
    assert.deepEqual(await outcomes(elsewhere), [409, 'done'])
    // Both ends of a transfer may refer to the same line.
    await post([move('transfer_out', a, '1', { reference }), move('transfer_in', a, '1', { warehouse_id: annex, reference })])
  })

  it('never goes below zero when ten take at once (INVT-06)', async () => {
    const id = await product()
    await post([move('in', id, '3.5')])
    const takers = await outcomes(Array.from({ length: 10 }, () => post([move('out', id, '1')])))
    assert.deepEqual(takers, [422, 422, 422, 422, 422, 422, 422, 'done', 'done', 'done'])
    assert.equal(await onHand(id), '0.500000')
    assert.deepEqual(await balances(id), [
      [3.5, 3.5],
      [1, 2.5],
      [1, 1.5],
      [1, 0.5],
    ])
  })

  it('lets calls with the same products in other orders pass without a deadlock', async () => {
    const ids = [await product(), await product(), await product()]
    const ctx = await acme.inside(async (ctx) => ctx)
    // Bypasses the kernel, which would retry a deadlock and so hide it.
    const postOnce = (movements: Movement[]) =>
      world.services.database.workspace(acme.id, 'write', (tx) => postStock({ ...ctx, tx }, movements))
    const calls = Array.from({ length: 20 }, (_, n) =>
      postOnce((n % 2 ? ids : [...ids].reverse()).map((id) => move('in', id, '1', { warehouse_id: n % 3 ? main : annex }))),
    )
    assert.deepEqual(await outcomes(calls), Array(20).fill('done'))
    for (const id of ids) assert.equal(Number(await onHand(id)) + Number(await onHand(id, annex)), 20)
  })

  it('takes thousands of movements in one call', async () => {
    const id = await product()
    await post(Array.from({ length: 7000 }, () => move('in', id, '1')))
    assert.equal(await onHand(id), '7000.000000')
  })

  it('adds up to what is on hand', async () => {
    assert.deepEqual(await drifted(), [])
  })
})

describe('stock', () => {
  it('is kept where products and inventory are installed (INVT-01)', async () => {
    assert.equal(await acme.inside(async (ctx) => stockIsOn(ctx)), true)
    const bare = await world.workspace({ modules: ['products', 'warehouses'] })
    assert.equal(await bare.inside(async (ctx) => stockIsOn(ctx)), false)
  })

  it('of another workspace is out of sight', async () => {
    const other = await world.workspace({ modules: ['products', 'warehouses', 'inventory'] })
    const seen = await other.inside((ctx) => ctx.tx.selectFrom('stock_levels').selectAll().execute())
    assert.deepEqual(seen, [])
    const id = await product()
    await assert.rejects(
      other.inside((ctx) => postStock(ctx, [move('in', id, '1')])),
      { status: 422 },
    )
  })
})
