import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()

it('batches are forgotten after thirty days, however many there are, with all their rows', async () => {
  const firm = await world.workspace({ modules: ['vendors'] })
  const { id } = (await firm.owner.post('/vendors', { name: 'Nord' })).body.data
  const told = await firm.owner.post('/vendors/bulk', { ids: [id], action: 'update', changes: { notes: 'Seen.' } })
  assert.equal(told.status, 200, told.body.message)
  await world.sql(
    `INSERT INTO bulk_batches (tenant_id, collection, record_table, action, created_by, created_at)
     SELECT $1, 'vendors', 'vendors', 'update', $2, now() - interval '40 days' FROM generate_series(1, 250)`,
    [firm.id, firm.owner.id],
  )
  await world.sql(
    `INSERT INTO bulk_rows (tenant_id, batch_id, record_id, revision)
     SELECT $1, (SELECT max(id) FROM bulk_batches), n, 1 FROM generate_series(1, 6000) n`,
    [firm.id],
  )
  const night = new Date(Date.parse(world.clock.now()) + 24 * 3_600_000).toISOString().replace(/T.*/, 'T03:55:00.000Z')
  world.clock.set(night)
  await world.drain('due')
  const [left] = await world.sql(
    `SELECT (SELECT count(*) FROM bulk_batches)::int AS batches, (SELECT count(*) FROM bulk_rows)::int AS rows`,
  )
  assert.deepEqual(left, { batches: 1, rows: 1 })
  assert.equal((await firm.owner.get(`/bulk/${told.body.data.batch_id}`)).status, 200)
})

describe('the work of a bulk request', () => {
  const line = (n: number) => ({ description: `Desk ${n}`, quantity: 1, unit_price: 10 })
  const lines = (count: number) => Array.from({ length: count }, (_, n) => line(n))

  /** Returns a workspace with orders that have these numbers of lines. */
  async function firmWithOrders(...counts: number[]) {
    world.clock.set(undefined)
    const firm = await world.workspace({ modules: ['vendors', 'purchase-orders'] })
    const vendor_id = (await firm.owner.post('/vendors', { name: 'Nord' })).body.data.id
    const ids: number[] = []
    for (const count of counts) {
      const { status, body } = await firm.owner.post('/purchase-orders', { vendor_id, title: 'Desks', lines: [line(0)] })
      assert.equal(status, 201, body.message)
      ids.push(body.data.id)
      await world.sql(
        `INSERT INTO purchase_order_lines SELECT (json_populate_record(l, json_build_object('id', nextval(pg_get_serial_sequence('purchase_order_lines', 'id'))))).*
         FROM purchase_order_lines l, generate_series(2, $2) n WHERE l.purchase_order_id = $1`,
        [body.data.id, count],
      )
    }
    return { ...firm, ids }
  }
  const bulk = async ({ owner }: Workspace, body: object) => {
    const reply = await owner.post('/purchase-orders/bulk', body)
    assert.equal(reply.status, 200, reply.body.message)
    return reply.body.data
  }
  /** Returns how many records were updated by each transaction. */
  const steps = async (firm: Workspace, type = 'updated') =>
    (
      await world.sql(
        `SELECT count(*)::int AS n FROM activities WHERE tenant_id = $1 AND subject_type = 'purchase_orders' AND type = $2
         GROUP BY created_at ORDER BY created_at`,
        [firm.id, type],
      )
    ).map(({ n }) => n)

  it('is done at once up to 2,000 rows of records and their lines', async () => {
    const firm = await firmWithOrders(999, 999)
    const batch = await bulk(firm, { ids: firm.ids, action: 'update', changes: { title: 'Chairs' } })
    assert.partialDeepStrictEqual(batch, { state: 'completed', total: 2, processed: 2 })
  })

  it('is done by a job beyond that, whose steps hold no more than 2,000 rows and one record at least', async () => {
    const firm = await firmWithOrders(700, 700, 700, 2500, 3)
    const batch = await bulk(firm, { ids: firm.ids, action: 'update', changes: { title: 'Chairs' } })
    assert.partialDeepStrictEqual(batch, { state: 'waiting', total: 5, processed: 0 })
    await world.drain()
    const done = (await firm.owner.get(`/bulk/${batch.batch_id}`)).body.data
    assert.partialDeepStrictEqual(done, { state: 'completed', total: 5, processed: 5, failed_count: 0 })
    assert.deepEqual(await steps(firm), [2, 1, 1, 1])
    assert.equal((await firm.owner.post(`/bulk/${batch.batch_id}/undo`)).status, 200)
    await world.drain()
    const undone = (await firm.owner.get(`/bulk/${batch.batch_id}`)).body.data
    assert.partialDeepStrictEqual(undone, { state: 'completed', total: 5, processed: 5, failed_count: 0 })
    assert.deepEqual(await steps(firm), [2, 1, 1, 1, 2, 1, 1, 1])
  })

  it('counts the lines that are sent for each record', async () => {
    const firm = await firmWithOrders(1, 1, 1)
    const few = await bulk(firm, { ids: firm.ids, action: 'update', changes: { lines: lines(600) } })
    assert.equal(few.state, 'completed')
    const many = await bulk(firm, { ids: firm.ids, action: 'update', changes: { lines: lines(100) } })
    assert.equal(many.state, 'waiting', 'three records with 600 lines, and 100 sent for each')
    await world.drain()
    assert.partialDeepStrictEqual((await firm.owner.get(`/bulk/${many.batch_id}`)).body.data, { processed: 3, total: 3 })
  })

  it('neither locks nor waits for records out of sight', async () => {
    const firm = await firmWithOrders(1)
    const clerk = await firm.user(['purchase-orders.view', 'purchase-orders.update'])
    const locked = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    const holding = firm.inside(async (ctx) => {
      await ctx.from('purchase_orders').select('id').where('id', '=', firm.ids[0]!).forUpdate().execute()
      locked.resolve()
      await done.promise
    })
    await locked.promise
    const asked = clerk.post('/purchase-orders/bulk', { ids: firm.ids, action: 'update', changes: { title: 'Mine' } })
    const first = await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 5000, 'it waits'))])
    done.resolve()
    await holding
    assert.partialDeepStrictEqual((first as Awaited<typeof asked>).body.data, {
      processed: 0,
      failed: [{ id: firm.ids[0], message: 'There is no such purchase order.' }],
    })
  })
})
