import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Reply, startTest, type Workspace } from '#test/harness.ts'

/** Log lines of transactions that the kernel had to retry, such as after a deadlock. */
const retried: string[] = []
const log = (line: string) => void (line.includes('transaction retried') && retried.push(line))
const world = await startTest({ log })
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

async function warehouse(name: string): Promise<number> {
  return (await firm.owner.post('/warehouses', { name, code: `${name}-${++made}` })).body.data.id
}

async function product(onHand = 0): Promise<number> {
  const { id } = (await firm.owner.post('/products', { name: 'Screw', sku: `SCREW-${++made}` })).body.data
  if (onHand)
    await firm.owner.post('/inventory/stock/adjust', { product_id: id, warehouse_id: main, type: 'in', quantity: onHand })
  return id
}

const URL = '/inventory/transfers'
const create = (body: object) => firm.owner.post(URL, { from_warehouse_id: main, to_warehouse_id: annex, ...body })
const act = (id: number, action: string, by = firm.owner) => by.post(`${URL}/${id}/${action}`)
const refused = ({ status, body }: Reply) => [status, ...Object.keys(body.errors ?? {})]

/** Creates a transfer with these quantities by product and performs the given actions. */
async function transfer(lines: [number, number][], actions: string[] = [], between = {}): Promise<number> {
  const { id } = (await create({ lines: lines.map(([product_id, quantity]) => ({ product_id, quantity })), ...between })).body
    .data
  for (const action of actions) assert.equal((await act(id, action)).status, 200, action)
  return id
}

/** Returns the stock of a product in the two warehouses: `10, 0`. */
async function lies(product_id: number) {
  const { data } = (await firm.owner.get('/inventory/stock', { query: { product_id } })).body
  const at = (id: number) => data.find((row: any) => row.warehouse.id === id)?.on_hand ?? 0
  return `${at(main)}, ${at(annex)}`
}

async function movements(product_id: number) {
  const { data } = (await firm.owner.get('/inventory/stock/movements', { query: { product_id } })).body
  return data.map(({ type, quantity, reference }: any) => [
    type,
    quantity,
    reference && [reference.type, reference.id, reference.number],
  ])
}

describe('a transfer', () => {
  it('is drafted with a number, two warehouses and lines (INVT-07, INVT-09)', async () => {
    const [a, b] = [await product(), await product()]
    const { status, body } = await create({
      notes: 'By van',
      lines: [
        { product_id: b, quantity: 2.5 },
        { product_id: a, quantity: 1 },
        { product_id: b, quantity: 0.5 },
      ],
    })
    assert.equal(status, 201)
    const { number, notes, from_warehouse, to_warehouse, creator, lines, activities } = body.data
    assert.match(number, /^TRF-\d{5}$/)
    assert.deepEqual([body.data.status, notes], ['draft', 'By van'])
    assert.deepEqual(
      [from_warehouse, to_warehouse],
      [
        { id: main, name: 'Main' },
        { id: annex, name: 'Annex' },
      ],
    )
    assert.equal(creator.id, firm.owner.id)
    assert.deepEqual(
      lines.map((line: any) => [line.product_id, line.product.name, line.quantity]),
      [
        [b, 'Screw', 2.5],
        [a, 'Screw', 1],
        [b, 'Screw', 0.5],
      ],
    )
    assert.deepEqual(
      activities.map(({ type }: any) => type),
      ['created'],
    )
    assert.equal(await lies(a), '0, 0')
  })

  it('names what is wrong (INVT-10)', async () => {
    const lines = [{ product_id: await product(), quantity: 1 }]
    assert.deepEqual(refused(await create({})), [422, 'lines'])
    assert.deepEqual(refused(await create({ lines: [] })), [422, 'lines'])
    assert.deepEqual(refused(await create({ lines: [{ ...lines[0], quantity: 0 }] })), [422, 'lines.0.quantity'])
    assert.deepEqual(refused(await create({ lines, to_warehouse_id: main })), [422, 'to_warehouse_id'])
    const service = (await firm.owner.post('/products', { name: 'Advice', sku: 'A', track_stock: false })).body.data.id
    const wrong = [...lines, { product_id: service, quantity: 1 }, { product_id: 999_999, quantity: 1 }]
    assert.deepEqual(refused(await create({ lines: wrong })), [422, 'lines.1.product_id', 'lines.2.product_id'])
    const many = Array.from({ length: 1001 }, () => lines[0])
    assert.deepEqual(refused(await create({ lines: many })), [422, 'lines'])
  })

  it('is changed and deleted as a draft only (INVT-15, INVT-16)', async () => {
    const [a, b] = [await product(5), await product(5)]
    const id = await transfer([[a, 1]])
    const put = (body: object) => firm.owner.put(`${URL}/${id}`, body)
    const changed = (await put({ notes: 'Soon', lines: [{ product_id: b, quantity: 2 }] })).body.data
    assert.deepEqual([changed.notes, changed.lines.length, changed.lines[0].product_id], ['Soon', 1, b])
    assert.deepEqual((await put({ notes: null })).body.data.lines, changed.lines)
    assert.deepEqual(refused(await put({ lines: [] })), [422, 'lines'])
    assert.deepEqual(refused(await put({ from_warehouse_id: annex })), [422, 'to_warehouse_id'])
    assert.equal((await put({ from_warehouse_id: annex, to_warehouse_id: main })).body.data.from_warehouse.name, 'Annex')
    await put({ from_warehouse_id: main, to_warehouse_id: annex })
    for (const action of ['dispatch', 'complete']) {
      await act(id, action)
      assert.deepEqual(refused(await put({ notes: 'Late' })), [422, 'status'])
      assert.deepEqual(refused(await firm.owner.del(`${URL}/${id}`)), [422, 'status'])
    }
  })

  it('goes from draft through transit to its end, or is cancelled (INVT-08, INVT-11 … INVT-14)', async () => {
    const id = await product(10)
    const states = async (actions: string[], of?: number) => {
      const one = of ?? (await transfer([[id, 1]]))
      const replies: unknown[] = []
      for (const action of actions) {
        const reply = await act(one, action)
        replies.push(reply.status === 200 ? reply.body.data.status : refused(reply).join(' '))
      }
      return replies
    }
    const no = '422 status'
    assert.deepEqual(await states(['complete', 'dispatch', 'dispatch', 'complete', 'complete', 'cancel', 'dispatch']), [
      no,
      'in_transit',
      no,
      'completed',
      no,
      no,
      no,
    ])
    assert.deepEqual(await states(['cancel', 'cancel', 'dispatch', 'complete']), ['cancelled', no, no, no])
    assert.deepEqual(await states(['dispatch', 'cancel', 'complete']), ['in_transit', 'cancelled', no])
    assert.equal(await lies(id), '9, 1')
  })

  it('is each under its permission (INVT-17)', async () => {
    const lines = [{ product_id: await product(9), quantity: 1 }]
    const mover = await firm.user(['inventory.transfer'])
    const { status, body } = await mover.post(URL, { from_warehouse_id: main, to_warehouse_id: annex, lines })
    assert.equal(status, 201)
    const { id } = body.data
    assert.equal((await mover.put(`${URL}/${id}`, { notes: 'x' })).status, 200)
    for (const action of ['dispatch', 'complete']) assert.equal((await act(id, action, mover)).status, 200)
    assert.equal((await mover.del(`${URL}/${id}`)).status, 403)
    assert.equal((await mover.get(URL)).status, 403)
    const viewer = await firm.user(['inventory.view', 'inventory.adjust', 'inventory.delete'])
    for (const action of ['dispatch', 'complete', 'cancel']) assert.equal((await act(id, action, viewer)).status, 403)
    assert.equal((await viewer.put(`${URL}/${id}`, {})).status, 403)
  })

  it('is found by its state, its number, its notes and either warehouse (INVT-21)', async () => {
    const third = await warehouse('Third')
    const id = await product()
    const one = await transfer([[id, 1]], ['dispatch'], { to_warehouse_id: third, notes: 'Fragile glass' })
    const two = await transfer([[id, 1]], [], { from_warehouse_id: third })
    const found = async (query: object) =>
      (await firm.owner.get(URL, { query: { ...query } })).body.data.map((row: any) => row.id)
    assert.deepEqual(await found({ warehouse_id: third }), [two, one])
    assert.deepEqual(await found({ warehouse_id: third, status: 'in_transit' }), [one])
    assert.deepEqual(await found({ search: 'fragile' }), [one])
    const { number } = (await firm.owner.get(`${URL}/${two}`)).body.data
    assert.deepEqual(await found({ search: number }), [two])
    const { data } = (await firm.owner.get('/dashboard')).body
    const widget = data.widgets.find(({ key }: { key: string }) => key === 'transfers_in_transit')
    assert.equal(widget.data.rows[0].to_warehouse.name, 'Third')
  })
})

describe('completing a transfer', () => {
  it('moves each line from one warehouse to the other, by paired movements (INVT-12)', async () => {
    const [a, b] = [await product(10), await product(3)]
    const id = await transfer(
      [
        [a, 2.5],
        [b, 3],
        [a, 1],
      ],
      ['dispatch'],
    )
    assert.deepEqual([await lies(a), await lies(b)], ['10, 0', '3, 0'])
    const { number, status, activities } = (await act(id, 'complete')).body.data
    assert.equal(status, 'completed')
    assert.deepEqual(
      activities.map(({ type }: any) => type),
      ['status_changed', 'status_changed', 'created'],
    )
    assert.deepEqual([await lies(a), await lies(b)], ['6.5, 3.5', '0, 3'])
    const reference = ['stock_transfer', id, number]
    assert.deepEqual(await movements(a), [
      ['transfer_in', 1, reference],
      ['transfer_out', 1, reference],
      ['transfer_in', 2.5, reference],
      ['transfer_out', 2.5, reference],
      ['in', 10, null],
    ])
  })

  it('is refused by line where too little is there, and posts nothing', async () => {
    const [a, b] = [await product(2), await product(2)]
    const id = await transfer(
      [
        [a, 2],
        [b, 3],
        [a, 1],
      ],
      ['dispatch'],
    )
    const { status, body } = await act(id, 'complete')
    assert.deepEqual(
      [status, body.errors],
      [
        422,
        {
          'lines.1.quantity': ['Only 2 in stock there, 3 would leave.'],
          'lines.2.quantity': ['Only 0 in stock there, 1 would leave.'],
        },
      ],
    )
    assert.equal((await firm.owner.get(`${URL}/${id}`)).body.data.status, 'in_transit')
    assert.deepEqual([await lies(a), await lies(b)], ['2, 0', '2, 0'])
  })

  it('is refused when a product or a warehouse has gone meanwhile', async () => {
    const third = await warehouse('Third')
    const id = await product(1)
    const one = await transfer([[id, 1]], ['dispatch'], { to_warehouse_id: third })
    await firm.owner.put(`/warehouses/${third}`, { is_active: false })
    assert.deepEqual(refused(await act(one, 'complete')), [422, 'to_warehouse_id'])
    await firm.owner.post('/inventory/stock/adjust', { product_id: id, type: 'out', quantity: 1 })
    const two = await transfer([[id, 1]], ['dispatch'])
    await firm.owner.put(`/products/${id}`, { track_stock: false })
    assert.deepEqual(refused(await act(two, 'complete')), [422, 'lines.0.product_id'])
    assert.equal((await act(two, 'cancel')).body.data.status, 'cancelled')
  })

  it('happens once, however many complete or cancel at once', async () => {
    for (let n = 0; n < 5; n++) {
      const id = await product(10)
      const one = await transfer([[id, 4]], ['dispatch'])
      const actions = ['complete', 'complete', 'cancel', 'complete', 'cancel', 'complete']
      const replies = await Promise.all(actions.map((action) => act(one, action)))
      assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 422, 422, 422, 422, 422])
      const { status } = (await firm.owner.get(`${URL}/${one}`)).body.data
      assert.equal(await lies(id), status === 'completed' ? '6, 4' : '10, 0')
    }
  })

  it('does not deadlock with transfers in the opposite direction', async () => {
    const ids = [await product(100), await product(100), await product(100)]
    await Promise.all(ids.map(async (id) => act(await transfer([[id, 50]], ['dispatch']), 'complete')))
    const back = { from_warehouse_id: annex, to_warehouse_id: main }
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        transfer(
          (n % 3 ? ids : ids.toReversed()).map((id) => [id, 1]),
          ['dispatch'],
          n % 2 ? back : {},
        ),
      ),
    )
    const replies = await Promise.all(many.map((id) => act(id, 'complete')))
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200])
    for (const id of ids) assert.equal(await lies(id), '50, 50')
    assert.deepEqual(retried, [])
  })
})
