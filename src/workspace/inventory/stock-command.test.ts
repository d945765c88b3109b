import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'
import { postStock } from './public.ts'
import { rebuild } from './reconciling.ts'
import { reconcile } from './stock-command.ts'

const world = await startTest()
const MODULES = ['products', 'warehouses', 'inventory']
let firm: Workspace
let other: Workspace

before(async () => {
  firm = await world.workspace({ modules: MODULES })
  other = await world.workspace({ modules: MODULES })
  await firm.owner.post('/warehouses', { name: 'Main', code: 'M' })
  await other.owner.post('/warehouses', { name: 'Theirs', code: 'T' })
})

let made = 0
async function stocked(quantity: number, of = firm): Promise<number> {
  const { id } = (await of.owner.post('/products', { name: 'Screw', sku: `S-${++made}` })).body.data
  await of.owner.post('/inventory/stock/adjust', { product_id: id, type: 'in', quantity })
  return id
}

const drift = (id: number, on_hand: number) =>
  world.sql('UPDATE stock_levels SET on_hand = $2 WHERE product_id = $1', [id, on_hand])
const onHand = async (id: number) =>
  Number((await world.sql('SELECT on_hand FROM stock_levels WHERE product_id = $1', [id]))[0]?.on_hand)

async function found(options: { rebuild: boolean; workspace?: string }) {
  const all = await Array.fromAsync(reconcile(world.services, options))
  return all.map(({ slug, drifted, first }) => [
    slug,
    drifted,
    ...first.map(({ sku, on_hand, moved }) => `${sku}: ${on_hand} ${moved}`),
  ])
}

describe('the balances of stock', () => {
  it('are compared and made anew, in all workspaces or in one', async () => {
    const [a, b, c, theirs] = [await stocked(5), await stocked(1.5), await stocked(7), await stocked(2, other)]
    await drift(a, 6)
    await drift(theirs, 0)
    await world.sql('DELETE FROM stock_levels WHERE product_id = $1', [b])
    const mine = [firm.slug, 2, 'S-1: 6 5', 'S-2: 0 1.5']
    const rest = [other.slug, 1, 'S-4: 0 2']
    assert.deepEqual(await found({ rebuild: false }), [mine, rest])
    assert.deepEqual(await found({ rebuild: false, workspace: other.slug }), [rest])
    assert.deepEqual(await found({ rebuild: true, workspace: firm.slug }), [mine])
    assert.deepEqual(await found({ rebuild: true }), [[firm.slug, 0], rest])
    assert.deepEqual(await found({ rebuild: false }), [
      [firm.slug, 0],
      [other.slug, 0],
    ])
    assert.deepEqual([await onHand(a), await onHand(b), await onHand(c), await onHand(theirs)], [5, 1.5, 7, 2])
    const { data } = (await firm.owner.get('/inventory/stock', { query: { product_id: b } })).body
    assert.deepEqual([data[0].product.sku, data[0].on_hand], ['S-2', 1.5])
  })

  it('are right also when others post meanwhile', async () => {
    const id = await stocked(100)
    const warehouse_id = (await firm.owner.get('/warehouses')).body.data[0].id
    await drift(id, 500)
    const take = () => firm.inside((ctx) => postStock(ctx, [{ product_id: id, warehouse_id, type: 'out', quantity: '1' }]))
    const repair = () => found({ rebuild: true, workspace: firm.slug })
    await Promise.all([take(), repair(), take(), take(), repair(), take()])
    assert.equal(await onHand(id), 96)
    const place = { product_id: id, warehouse_id, sku: '', warehouse: '', on_hand: '', moved: '' }
    await firm.inside((ctx) => rebuild(ctx, [place])) // a drifted balance may have been corrected meanwhile
    assert.equal(await onHand(id), 96)
  })

  it('are those of a workspace that exists', async () => {
    await assert.rejects(found({ rebuild: false, workspace: 'nowhere' }), /There is no workspace nowhere/)
  })
})
