import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { writeAsSystem } from '#kernel/context.ts'
import { startTest, type Workspace } from '#test/harness.ts'
import { writeClicks } from './redirects/writing.ts'
import { forgetClicks } from './retention.ts'

const world = await startTest({ env: { KEEP_CLICKS_DAYS: '60' } })
const at = '/short-links'
const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'
let firm: Workspace
let neighbour: Workspace

before(async () => {
  firm = await world.workspace({ modules: ['short-links'] })
  neighbour = await world.workspace({ modules: ['short-links'] })
  await world.sql(`UPDATE access_tokens SET expires_at = '2100-01-01'`)
})
/** Each test begins in its own year, whose months have partitions already. */
let year = 2030
beforeEach(async () => {
  year += 2
  await night(`${year}-01-01T03:00:00.000Z`)
  await night(`${year}-03-01T03:00:00.000Z`)
})

const night = async (instant: string) => {
  world.clock.set(instant)
  await writeAsSystem(world.services, (ctx) => world.services.queue.send(ctx, forgetClicks, {}))
  await world.drain()
}
const make = async ({ owner } = firm) =>
  (await owner.post(at, { destination_url: 'https://example.test/' })).body.data.id as number
const click = ({ id: tenantId }: Workspace, linkId: number, count: number, time: string) =>
  world.services.database.workspace(tenantId, 'write', (tx) =>
    writeClicks(
      tx,
      tenantId,
      Array.from({ length: count }, () => ({ tenantId, linkId, at: time, referrer: 'https://a.test/', userAgent: CHROME })),
    ),
  )
const stats = async (id: number, { owner } = firm) => (await owner.get(`${at}/${id}/stats`)).body.data
const log = async (id: number, { owner } = firm) => {
  const { body } = await owner.get(`${at}/${id}/clicks`)
  return {
    total: body.meta.total,
    days: [...new Set(body.data.map((one: { clicked_at: string }) => one.clicked_at.slice(0, 10)))],
  }
}
const rows = async (id: number) =>
  (
    await world.sql(
      'SELECT tableoid::regclass::text AS part, count(*)::int FROM short_link_clicks WHERE link_id = $1 GROUP BY 1 ORDER BY 1',
      [id],
    )
  ).map(({ part, count }) => `${part.replace(/^partitions.short_link_clicks_|_\d{6,}$/g, '')} ${count}`) // without the number that a cluster adds
const parts = async () =>
  (await world.sql('SELECT part::text FROM app.click_parts() ORDER BY 1')).map(({ part }) => part as string)

describe('clicks', () => {
  it('lie in the part of their month, which is made before it begins', async () => {
    const id = await make()
    await click(firm, id, 2, `${year}-03-31T23:59:59.999Z`)
    await click(firm, id, 3, `${year}-04-01T00:00:00.000Z`)
    assert.deepEqual(await rows(id), [`${year}_03 2`, `${year}_04 3`])
  })

  it('are forgotten by the month once all of it is old, and nothing else changes for that', async () => {
    const [id, quiet, other] = [await make(), await make(), await make(neighbour)]
    await click(firm, id, 1001, `${year}-03-05T10:00:00.000Z`) // aggregated at once
    await click(firm, id, 5, `${year}-03-31T10:00:00.000Z`)
    await click(firm, id, 7, `${year}-04-01T10:00:00.000Z`)
    await click(firm, quiet, 3, `${year}-04-02T10:00:00.000Z`)
    await click(neighbour, other, 4, `${year}-03-07T10:00:00.000Z`)
    const before = await Promise.all([stats(id), stats(quiet), stats(other, neighbour)])

    await night(`${year}-05-29T03:00:00.000Z`) // 59 days after the first of April
    assert.deepEqual(await rows(id), [`${year}_03 1006`, `${year}_04 7`])
    assert.equal((await log(id)).total, 1013)

    await night(`${year}-05-31T03:00:00.000Z`)
    assert.deepEqual(await rows(id), [`${year}_04 7`])
    assert.deepEqual(await log(id), { total: 7, days: [`${year}-04-01`] })
    assert.deepEqual(await log(quiet), { total: 3, days: [`${year}-04-02`] })
    assert.deepEqual(await log(other, neighbour), { total: 0, days: [] })
    const after = await Promise.all([stats(id), stats(quiet), stats(other, neighbour)])
    for (const [n, one] of after.entries()) assert.deepEqual({ ...one, clicks_by_day: [] }, { ...before[n], clicks_by_day: [] })
    assert.ok(!(await parts()).some((part) => part.endsWith(`${year}_03`)))

    await click(firm, id, 2, `${year}-05-31T10:00:00.000Z`)
    assert.deepEqual([(await stats(id)).click_count, (await log(id)).total], [1015, 9])
    await night(`${year}-06-01T03:00:00.000Z`)
    await night(`${year}-07-30T03:00:00.000Z`)
    assert.deepEqual([(await stats(id)).click_count, (await log(id)).total, await rows(id)], [1015, 2, [`${year}_05 2`]])
  })

  it('are counted by day for 30 days, whatever is forgotten meanwhile', async () => {
    const id = await make()
    await click(firm, id, 4, `${year}-03-30T10:00:00.000Z`)
    world.clock.set(`${year}-04-10T03:00:00.000Z`)
    const before = await stats(id)
    assert.equal(before.clicks_by_day.find(({ date }: { date: string }) => date === `${year}-03-30`).clicks, 4)
    await night(`${year}-05-31T03:00:00.000Z`)
    assert.deepEqual(await rows(id), [])
    world.clock.set(`${year}-04-10T03:00:00.000Z`)
    assert.deepEqual(await stats(id), before)
  })

  it('that came in a month without a part are kept, and deleted one by one when they are old', async () => {
    const id = await make()
    await click(firm, id, 6, `${year}-11-20T10:00:00.000Z`)
    await click(firm, id, 2, `${year + 1}-02-20T10:00:00.000Z`)
    assert.deepEqual(await rows(id), ['rest 8'])
    await night(`${year}-12-31T03:00:00.000Z`)
    assert.equal((await log(id)).total, 8)
    await night(`${year + 1}-01-30T03:00:00.000Z`)
    assert.deepEqual([await rows(id), (await log(id)).total], [['rest 2'], 2])
    assert.deepEqual((await stats(id)).devices, [{ device_type: 'desktop', clicks: 8 }])
  })

  it('are counted once, though the work is interrupted, done by two at once and beside new clicks', async () => {
    const id = await make()
    await click(firm, id, 900, `${year}-03-05T10:00:00.000Z`)
    world.clock.set(`${year}-05-31T03:00:00.000Z`)
    const stopped = new AbortController()
    stopped.abort()
    const run = (signal: AbortSignal) => forgetClicks.handle(world.services, { data: {} }, { signal, module: undefined })
    await run(stopped.signal)
    assert.deepEqual(await rows(id), [`${year}_03 900`])
    const { signal } = new AbortController()
    const both = await Promise.allSettled([run(signal), run(signal), click(firm, id, 150, `${year}-05-31T03:00:00.000Z`)])
    assert.deepEqual(
      both.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled'],
    )
    await world.drain()
    assert.deepEqual([await rows(id), (await log(id)).total], [[`${year}_05 150`], 150])
    assert.deepEqual(await stats(id).then(({ click_count, devices }) => [click_count, devices]), [
      1050,
      [{ device_type: 'desktop', clicks: 1050 }],
    ])
  })

  it('of a link that is deleted for good go with it, whatever part they are in (SL-22)', async () => {
    const id = await make()
    await click(firm, id, 2, `${year}-03-05T10:00:00.000Z`)
    await click(firm, id, 2, `${year}-11-05T10:00:00.000Z`)
    await firm.owner.del(`${at}/${id}`)
    assert.equal((await firm.owner.del(`${at}/${id}/force`)).status, 200)
    assert.deepEqual(await rows(id), [])
  })

  it('are no workspace’s but by the table: its parts are closed to requests', async () => {
    const found =
      await world.sql(`SELECT part::text FROM app.click_parts() WHERE has_any_column_privilege('app_tenant', part, 'SELECT, INSERT, UPDATE')
      OR has_table_privilege('app_platform', part, 'SELECT') OR has_schema_privilege('app_tenant', 'partitions', 'USAGE')`)
    assert.deepEqual(found, [])
  })
})
