/** Real worker processes: long work completes exactly once, whether they are stopped, killed, or numerous. */
// CI stage: kills
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, beforeEach, it } from 'node:test'
import { fill } from './fixtures/jobs/workspace/pages/jobs.ts'
import { startTest, type Workspace } from './harness.ts'
import { KILLS, pause, QUICK_HEARTBEAT, workersOf } from './worker-process.ts'

const root = join(import.meta.dirname, 'fixtures/jobs')
const world = await startTest({ roots: [root], env: QUICK_HEARTBEAT })
const { start: startWorker, end, endAll } = workersOf(world, [root])
let firm: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['pages'] })
})
beforeEach(() => world.sql('TRUNCATE pages, job_runs'))
after(endAll)

const start = async (body: object) => (await firm.owner.post('/pages/runs', body)).body.data.id as string
const read = async (id: string) => (await firm.owner.get(`/pages/runs/${id}`)).body.data
const row = async (id: string) => (await world.sql('SELECT turn, rescues, state FROM job_runs WHERE id = $1', [id]))[0]

async function until(id: string, condition: (run: { state: string; done: number }) => boolean) {
  for (;;) {
    const run = await read(id)
    if (condition(run)) return run
    assert.ok(!['failed', 'cancelled'].includes(run.state), run.error)
    await pause(20)
  }
}

async function wroteEachOnce(id: string, pages: number) {
  const run = await until(id, ({ state }) => state === 'completed')
  const [counts] = await world.sql(
    'SELECT count(*)::int, count(DISTINCT n)::int AS different, max(n) AS last FROM pages WHERE n > 0',
  )
  assert.deepEqual([run.done, counts], [pages, { count: pages, different: pages, last: pages }])
}

it(`is finished with every row once by workers of which ${KILLS} are killed in the middle of it`, async () => {
  const pages = 400 * KILLS
  const id = await start({ pages, batch: 4, seconds: 0.01 })
  let reached = 0
  for (let kill = 1; kill <= KILLS; kill++) {
    const worker = await startWorker()
    const { done } = await until(id, (run) => run.done > reached)
    await pause(Math.random() * 200)
    await end(worker, 'SIGKILL')
    assert.notEqual((await read(id)).state, 'completed', 'killed too late to show anything')
    reached = done
  }
  const last = await startWorker()
  await wroteEachOnce(id, pages)
  await end(last, 'SIGTERM')
})

it('is in one worker’s hands at a time, and handed over after the batch at hand when that one is stopped', async () => {
  const pair = await Promise.all([startWorker(), startWorker()])
  const id = await start({ pages: 300, batch: 4, seconds: 0.01 })
  await until(id, ({ done }) => done > 0)
  for (let n = 0; n < 4; n++) await firm.inside((ctx) => world.services.queue.send(ctx, fill, { run_id: id }))
  await until(id, ({ done }) => done > 80)
  const [{ worker }] = await world.sql('SELECT worker FROM pages WHERE n > 0 ORDER BY id LIMIT 1')
  const [first, second] = pair[0].pid === worker ? pair : [pair[1], pair[0]]
  assert.equal(await end(first, 'SIGTERM'), 0)
  await wroteEachOnce(id, 300)
  const hands = await world.sql(
    'SELECT worker, min(n) AS first, max(n) AS last FROM pages WHERE n > 0 GROUP BY worker ORDER BY 2',
  )
  assert.deepEqual(
    hands.map((hand) => hand.worker),
    [first.pid, second.pid],
  )
  assert.equal(hands[0].last + 1, hands[1].first)
  assert.deepEqual(await row(id), { turn: 2, rescues: 0, state: 'completed' })
  await end(second, 'SIGTERM')
})
