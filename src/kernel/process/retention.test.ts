import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { writeAsSystem } from '#kernel/context.ts'
import { startTest, type Workspace } from '#test/harness.ts'
import { retention } from './retention.ts'

const world = await startTest({
  env: { KEEP_AUDIT_LOG_DAYS: '90', KEEP_MAIL_LOG_DAYS: '30', KEEP_ACTIVITIES_DAYS: '400', KEEP_IDEMPOTENT_REPLIES_HOURS: '48' },
})
const byDefault = await startTest()
const NOW = '2032-06-15T03:00:00.000Z'
let firm: Workspace
let neighbour: Workspace

before(async () => {
  firm = await world.workspace()
  neighbour = await world.workspace()
})

type World = typeof world
const night = async (on: World, instant = NOW) => {
  on.clock.set(instant)
  await writeAsSystem(on.services, (ctx) => on.services.queue.send(ctx, retention, {}))
  await on.drain()
}
/** Inserts `count` rows of each kind in a workspace, `days` before NOW; 0 is the platform. */
async function fill(on: World, tenant: number, count: number, days: number) {
  const some = `generate_series(1, ${count}) n`
  const at = `timestamptz '${NOW}' - interval '${days} days'`
  await on.sql(`
    INSERT INTO audit_logs (tenant_id, event, actor_type, created_at) SELECT ${tenant}, 'planted', 'system', ${at} FROM ${some};
    WITH mails AS (
      INSERT INTO email_logs (tenant_id, notification_type, "to", subject, body_html, body_text, created_at)
      SELECT ${tenant}, 'planted', '{a@b.test}', 'x', '', '', ${at} FROM ${some} RETURNING id
    ) INSERT INTO email_attachments (tenant_id, email_log_id, name, mime, content) SELECT ${tenant}, id, 'a', 'text/plain', '' FROM mails;
    INSERT INTO idempotency_keys (tenant_id, key_hash, body_hash, status, reply, created_at)
      SELECT ${tenant}, sha256(('${days} ' || n)::bytea), '', 200, '', ${at} FROM ${some}`)
  if (tenant)
    await on.sql(
      `INSERT INTO activities (tenant_id, subject_type, subject_id, type, created_at) SELECT ${tenant}, 'planted', 1, 'created', ${at} FROM ${some}`,
    )
}
/** Returns the ages in days of the remaining rows. */
async function left(on: World, tenant: number) {
  const ages: Record<string, number[]> = {}
  for (const [table, planted] of [
    ['audit_logs', `event = 'planted'`],
    ['email_logs', `notification_type = 'planted'`],
    ['idempotency_keys', `body_hash = ''`],
    ['activities', `subject_type = 'planted'`],
  ]) {
    const rows = await on.sql(
      `SELECT extract(day FROM timestamptz '${NOW}' - created_at)::int AS days FROM ${table} WHERE tenant_id = $1 AND ${planted} GROUP BY 1 ORDER BY 1`,
      [tenant],
    )
    ages[table!] = rows.map(({ days }) => days)
  }
  return ages
}

describe('what the operator has kept for a time', () => {
  it('is gone when it is older, in every workspace and the platform’s own, and what is younger stays', async () => {
    for (const tenant of [0, firm.id, neighbour.id]) for (const days of [500, 100, 35, 3, 1]) await fill(world, tenant, 2, days)
    await night(world)
    const expected = { audit_logs: [1, 3, 35], email_logs: [1, 3], idempotency_keys: [1] }
    assert.deepEqual(await left(world, 0), { ...expected, activities: [] })
    assert.deepEqual(await left(world, firm.id), { ...expected, activities: [1, 3, 35, 100] })
    assert.deepEqual(await left(world, neighbour.id), await left(world, firm.id))
    const [{ orphans }] = await world.sql(
      'SELECT count(*)::int AS orphans FROM email_attachments a WHERE NOT EXISTS (SELECT FROM email_logs l WHERE l.tenant_id = a.tenant_id AND l.id = a.email_log_id)',
    )
    assert.equal(orphans, 0)
  })

  it('goes in batches: who is stopped goes on from there, and two at once do no harm', async () => {
    await fill(world, firm.id, 10, 600)
    await world.sql(
      `INSERT INTO audit_logs (tenant_id, event, actor_type, created_at)
       SELECT $1, 'planted', 'system', timestamptz '${NOW}' - interval '600 days' FROM generate_series(1, 4500)`,
      [firm.id],
    )
    await fill(world, neighbour.id, 10, 600)
    world.clock.set(NOW)
    const stopped = new AbortController()
    stopped.abort()
    const run = (after: number, signal = new AbortController().signal) =>
      retention.handle(world.services, { data: { after } }, { signal, module: undefined })
    await run(firm.id - 1, stopped.signal)
    const [{ n }] = await world.sql(`SELECT count(*)::int AS n FROM audit_logs WHERE tenant_id = $1 AND event = 'planted'`, [
      firm.id,
    ])
    assert.ok(n > 2000 && n < 4500, `${n} are left after one batch`)
    await Promise.all([run(-1), run(-1)])
    await world.drain() // job sent by the stopped run
    for (const { id } of [firm, neighbour]) assert.ok(Object.values(await left(world, id)).every((ages) => !ages.includes(600)))
  })

  it('is what the defaults say: audit logs and timelines are kept for good, mails for two years, replies for a day', async () => {
    const other = await byDefault.workspace()
    for (const days of [3000, 740, 700, 2, 0]) await fill(byDefault, other.id, 1, days)
    await night(byDefault)
    const all = [0, 2, 700, 740, 3000]
    assert.deepEqual(await left(byDefault, other.id), {
      audit_logs: all,
      activities: all,
      email_logs: [0, 2, 700],
      idempotency_keys: [0],
    })
  })

  it('answers under the same Idempotency-Key as long', async () => {
    const headers = { 'Idempotency-Key': 'kept for two days' }
    world.clock.set('2032-07-01T10:00:00.000Z')
    await world.sql(`UPDATE access_tokens SET expires_at = '2100-01-01'`)
    const post = () => firm.owner.post('/leads', { title: 'Once', name: 'Once', lead_type: 'direct' }, { headers })
    const first = await post()
    assert.ok(first.status < 300, first.raw.toString())
    for (const [instant, replayed] of [
      ['2032-07-03T09:00:00.000Z', 'true'],
      ['2032-07-03T11:00:00.000Z', undefined],
    ] as const) {
      await night(world, instant)
      assert.equal((await post()).headers['idempotency-replayed'], replayed, instant)
    }
  })
})
