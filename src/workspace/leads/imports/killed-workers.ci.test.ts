/** Kills real workers during an import: every row becomes exactly one lead. */
// CI stage: kills
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { startTest } from '#test/harness.ts'
import { KILLS, pause, QUICK_HEARTBEAT, workersOf } from '#test/worker-process.ts'

const world = await startTest({ env: QUICK_HEARTBEAT })
const { start, end, endAll } = workersOf(world)
after(endAll)

const ROWS = 10_000 * KILLS

it(`imports each of ${ROWS} rows once, though ${KILLS} workers are killed in the middle of it`, async () => {
  const { owner } = await world.workspace({ modules: ['leads'] })
  const lines = Array.from({ length: ROWS }, (_, n) => `Lead ${n},l${n}@kills.test,Note ${n}`)
  const file = new File([`Name,Email,Note\n${lines.join('\n')}`], 'leads.csv')
  const { uuid } = (await owner.post('/leads/imports', { file })).body.data.import
  await owner.put(`/leads/imports/${uuid}`, { mapping: { name: 'Name', email: 'Email', note: 'Note' } })
  // Without duplicate detection, a row imported twice would show.
  await owner.put(`/leads/imports/${uuid}/options`, { duplicate_mode: 'keep', unique_fields: [] })
  assert.equal((await owner.post(`/leads/imports/${uuid}/run`)).status, 200)
  const one = async () => (await owner.get(`/leads/imports/${uuid}`)).body.data
  let before = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const worker = await start()
    while ((await one()).processed_rows === before) await pause(10)
    await pause(Math.random() * 300)
    await end(worker, 'SIGKILL')
    before = (await one()).processed_rows
    assert.ok(before < ROWS, 'killed too late to show anything')
  }
  const worker = await start()
  while (!['completed', 'failed'].includes((await one()).status)) await pause(100)
  await end(worker, 'SIGTERM')
  const { status, processed_rows, imported_count, failed_count } = await one()
  assert.deepEqual(
    { status, processed_rows, imported_count, failed_count },
    { status: 'completed', processed_rows: ROWS, imported_count: ROWS, failed_count: 0 },
  )
  const [found] = await world.sql(`
    SELECT count(*)::int AS leads, count(DISTINCT email)::int AS emails, (SELECT count(*)::int FROM notes) AS notes,
      (SELECT count(*)::int FROM activities WHERE type = 'created' AND subject_type = 'leads') AS told FROM leads`)
  assert.deepEqual(found, { leads: ROWS, emails: ROWS, notes: ROWS, told: ROWS })
})
