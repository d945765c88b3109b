/**
 * Many rows: exported, imported by workers that are killed meanwhile, exported again unchanged, and undone by workers that are
 * killed as well.
 */
// CI stage: kills
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { type Person, startTest } from '#test/harness.ts'
import { KILLS, pause, QUICK_HEARTBEAT, workersOf } from '#test/worker-process.ts'

const world = await startTest({ env: QUICK_HEARTBEAT })
const { start, end, endAll } = workersOf(world)
after(endAll)

/** IMPORT_ROWS=100000 is the largest accepted file. */
const ROWS = Number(process.env.IMPORT_ROWS ?? 1000 * KILLS)

/** Processes the work with workers that are killed in the middle of it, and a last one. */
async function killing(count: () => Promise<number>, isDone: () => Promise<boolean>) {
  for (let kill = 0; kill < KILLS; kill++) {
    const before = await count()
    const worker = await start()
    while ((await count()) === before) await pause(10)
    await pause(Math.random() * 300)
    await end(worker, 'SIGKILL')
    assert.ok((await count()) < ROWS, 'killed too late to show anything')
  }
  const worker = await start()
  while (!(await isDone())) await pause(100)
  await end(worker, 'SIGTERM')
}

/** Returns the columns that a client can send: names, numbers, texts, flags. */
async function exported(owner: Person) {
  const { raw, status } = await owner.get('/products/export', { query: { format: 'csv', sort: 'name', direction: 'asc' } })
  assert.equal(status, 200)
  return raw.toString()
}
const without = (csv: string, columns: string[]) => {
  const [head = '', ...rows] = csv.replace('\ufeff', '').trimEnd().split('\r\n')
  const kept = head.split(',').flatMap((title, n) => (columns.includes(title) ? [] : n))
  return rows.map((row) => kept.map((n) => row.split(',')[n]).join())
}
const OWN = ['ID', 'Creator', 'Created at', 'Updated at']

it(`imports each of ${ROWS} exported rows once, though ${KILLS} workers are killed, and takes them away again`, {}, async (t) => {
  const seconds = (began: number) => Math.round((performance.now() - began) / 1000)
  let began = performance.now()
  const from = await world.workspace({ modules: ['products'] })
  const to = await world.workspace({ modules: ['products'] })
  await world.sql(
    `INSERT INTO products (tenant_id, name, sku, unit_price, created_at, updated_at)
     SELECT $1, 'Product ' || lpad(n::text, 6, '0'), 'SKU-' || n, n * 0.37, now(), now() FROM generate_series(1, $2::int) n`,
    [from.id, ROWS],
  )
  const file = await exported(from.owner)
  const { owner } = to
  const { body } = await owner.post('/imports', { module: 'products', file: new File([file], 'products.csv') })
  const { uuid } = body.data.import
  assert.equal((await owner.put(`/imports/${uuid}`, { mapping: body.data.context.suggested_mapping })).status, 200)
  assert.equal((await owner.post(`/imports/${uuid}/run`)).status, 200)
  const one = async () => (await owner.get(`/imports/${uuid}`)).body.data
  await killing(
    async () => (await one()).processed_rows,
    async () => ['completed', 'failed'].includes((await one()).status),
  )
  t.diagnostic(`${ROWS} rows imported within ${seconds(began)} s, their export and upload with them`)
  const { status, error, processed_rows, created_count, failed_count } = await one()
  assert.deepEqual(
    { status, error, processed_rows, created_count, failed_count },
    { status: 'completed', error: null, processed_rows: ROWS, created_count: ROWS, failed_count: 0 },
  )
  assert.deepEqual(without(await exported(owner), OWN), without(file, OWN))
  const [told] = await world.sql(
    "SELECT count(*)::int AS told FROM activities WHERE tenant_id = $1 AND type = 'created' AND subject_type = 'products'",
    [to.id],
  )
  assert.deepEqual(told, { told: ROWS })
  began = performance.now()
  assert.equal((await owner.post(`/imports/${uuid}/undo`)).status, 200)
  await killing(
    async () => (await one()).undone_count,
    async () => (await one()).status === 'undone',
  )
  t.diagnostic(`taken away within ${seconds(began)} s`)
  const { undone_count, kept_count } = await one()
  assert.deepEqual([undone_count, kept_count], [ROWS, 0])
  assert.equal((await owner.get('/products')).body.meta.total, 0)
})
