/** Queue fairness between workspaces: leases, workers left to other workspaces, and jobs that kill their worker. */
// CI stage: processes
// Also in CI: debian
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, beforeEach, it } from 'node:test'
import { note, poison } from './fixtures/jobs/workspace/pages/jobs.ts'
import { startTest, type Workspace } from './harness.ts'
import { pause, workersOf } from './worker-process.ts'

const root = join(import.meta.dirname, 'fixtures/jobs')
const world = await startTest({ roots: [root] })
const { queue } = world.services
const { start: startWorker, end, endAll } = workersOf(world, [root])
const firms: Workspace[] = []

before(async () => {
  for (let n = 0; n < 4; n++) firms.push(await world.workspace({ modules: ['pages'] }))
})
beforeEach(async () => {
  await world.sql('TRUNCATE pages')
  await world.sql('DELETE FROM pgboss.job')
})
after(endAll)

const sendAll = (firm: Workspace, n: number, seconds = 0.02) =>
  firm.inside((ctx) =>
    queue.sendAll(
      ctx,
      note,
      Array.from({ length: n }, (_, i) => ({ tenantId: firm.id, data: { n: i + 1, seconds } })),
    ),
  )
const send = (firm: Workspace, n: number) => firm.inside((ctx) => queue.send(ctx, note, { n, seconds: 0.02 }))
const written = async () =>
  (await world.sql('SELECT tenant_id::int AS tenant, n FROM pages ORDER BY id')) as { tenant: number; n: number }[]
const until = async (done: (pages: Awaited<ReturnType<typeof written>>) => boolean) => {
  for (;;) {
    const pages = await written()
    if (done(pages)) return pages
    await pause(20)
  }
}

it('a workspace’s one job goes before 2,000 that others have waiting, and small backlogs before large ones', async () => {
  const [flood, another, third, late] = firms as [Workspace, Workspace, Workspace, Workspace]
  for (const firm of [flood, another]) await sendAll(firm, 2000)
  for (const n of [1, 2, 3]) await send(third, n)
  const worker = await startWorker()
  await until((pages) => pages.length > 20)
  await send(late, 1)
  const pages = await until((all) => all.some(({ tenant }) => tenant === late.id))
  await end(worker, 'SIGTERM')
  const place = (firm: Workspace, n: number) => pages.findIndex((page) => page.tenant === firm.id && page.n === n)
  assert.ok(place(third, 1) >= 0 && place(third, 1) < 6, `the third workspace's first job is number ${place(third, 1)}`)
  assert.ok(place(third, 3) >= 0 && place(third, 3) < 14, `its third is number ${place(third, 3)}`)
  assert.ok(place(late, 1) < 60, `the one that came late is number ${place(late, 1)}`)
  const some = pages.slice(0, 20).filter(({ tenant }) => tenant === flood.id).length
  assert.ok(some >= 5 && some <= 12, `${some} of the first 20 are of the first workspace: two in turn`)
})

it('jobs that take long leave a worker to other workspaces', async () => {
  const [slow, quick] = firms as [Workspace, Workspace]
  await sendAll(slow, 10, 8)
  const worker = await startWorker()
  await pause(300)
  for (let n = 1; n <= 5; n++) await send(quick, n)
  const pages = await until((all) => all.filter(({ tenant }) => tenant === quick.id).length === 5)
  await end(worker, 'SIGKILL')
  const before = pages.filter(({ tenant }) => tenant === slow.id).length
  assert.ok(before <= 4, `${before} slow jobs were done first`)
})

it('whose jobs took long comes after those whose jobs took little, though it sent first', async () => {
  const [slow, quick, newcomer] = firms as [Workspace, Workspace, Workspace]
  await sendAll(slow, 1, 2)
  await sendAll(quick, 1)
  await queue.drain()
  await sendAll(slow, 3)
  await sendAll(quick, 3)
  await sendAll(newcomer, 3)
  await queue.drain()
  const order = (await written()).slice(2).map(({ tenant }) => tenant)
  const turnOf = (firm: Workspace, nth: number) => order.flatMap((tenant, at) => (tenant === firm.id ? at : []))[nth]!
  assert.ok(turnOf(newcomer, 0) < turnOf(slow, 0), `the newcomer before the one that used most: ${order}`)
  assert.ok(turnOf(quick, 0) < turnOf(slow, 0), `the one that used little before the one that used most: ${order}`)
  assert.ok(turnOf(quick, 2) < turnOf(slow, 1), `steps between jobs are as long as jobs take: ${order}`)
})

it('is charged for a job while it is under way, and for less as time passes', async () => {
  const [slow] = firms as [Workspace]
  await world.sql('DELETE FROM pgboss.time_used')
  const used = async () =>
    ((await world.sql('SELECT ms FROM pgboss.time_used WHERE workspace = $1', [slow.id])) as { ms: number }[])[0]?.ms ?? 0
  await sendAll(slow, 1, 30)
  const worker = await startWorker()
  while ((await used()) < 1000) await pause(50)
  assert.deepEqual(await written(), [], 'it is under way still')
  await end(worker, 'SIGKILL')
  await world.sql(`UPDATE pgboss.time_used SET ms = 8000, at = clock_timestamp() - interval '3 minutes'`)
  await world.sql('DELETE FROM pgboss.job')
  await send(slow, 1)
  const [{ late }] = (await world.sql(
    `SELECT -priority - (extract(epoch FROM created_on) - extract(epoch FROM timestamptz '2026-01-01Z')) AS late FROM pgboss.job WHERE name = $1`,
    [note.name],
  )) as [{ late: string }]
  assert.ok(Math.abs(Number(late) - 60) < 5, `an eighth of 8 s puts its turn a minute off, not ${late} s`)
})

it('sends 2,000 jobs and one more in a moment, however many wait', async () => {
  const [flood] = firms as [Workspace]
  for (let n = 0; n < 5; n++) await sendAll(flood, 2000)
  const began = performance.now()
  for (let n = 0; n < 20; n++) await send(flood, n)
  assert.ok(performance.now() - began < 2000, 'a hundredth of a second each would be much')
})

it('a job that ends its worker each time is tried as often as any, and then given up', async () => {
  const [firm] = firms as [Workspace]
  await firm.inside((ctx) => queue.send(ctx, poison, {}))
  const state = async () => (await world.sql(`SELECT state FROM pgboss.job WHERE name = $1`, [poison.name]))[0].state
  for (let n = 0; n < 2; n++) {
    const worker = await startWorker().catch(() => undefined) // it may exit before it is ready
    if (worker && worker.signalCode === null) await once(worker, 'close')
    assert.equal(await state(), 'active', 'nobody could say what became of it')
    // Simulates the queue's reaction to a missing heartbeat.
    await world.sql(`UPDATE pgboss.job SET state = 'retry', start_after = statement_timestamp() WHERE name = $1`, [poison.name])
  }
  const worker = await startWorker()
  while ((await state()) !== 'failed') await pause(20)
  const [told] = await world.sql('SELECT written_by FROM pages WHERE tenant_id = $1', [firm.id])
  assert.match(told.written_by, /worker of its last try was lost/)
  assert.equal((await world.sql(`SELECT FROM pgboss.job WHERE name = 'dead-letters'`)).length, 1)
  assert.equal(await end(worker, 'SIGTERM'), 0, 'it lives')
})
