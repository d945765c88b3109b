import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTest } from '#test/harness.ts'

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
