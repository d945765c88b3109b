/** Background jobs: context, schedules, guarantees of the queue, and long work in steps. */
// Also in CI: debian
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { inPublic, originOf } from '#kernel/context.ts'
import { asLoginRole } from '#kernel/database/connect.ts'
import { sessionFor } from '#kernel/jobs/entering.ts'
import type { WorkspaceJob } from '#kernel/jobs/job.ts'
import { dispatch } from '#kernel/jobs/schedule.ts'
import { startServices } from '#kernel/process/start.ts'
import { fill, fixed, hourly, later, signed, sync } from './fixtures/jobs/workspace/pages/jobs.ts'
import { type Person, startTest, type Workspace } from './harness.ts'

const root = join(import.meta.dirname, 'fixtures/jobs')
const METRICS_TOKEN = 'a token for metrics'
const world = await startTest({ roots: [root], env: { METRICS_TOKEN } })
const { queue } = world.services
let firm: Workspace
let other: Workspace

before(async () => {
  world.clock.set('2027-01-01T00:00:00.000Z')
  firm = await world.workspace({ modules: ['pages'] })
  other = await world.workspace({ modules: ['pages'] })
})

beforeEach(async () => {
  await world.sql('TRUNCATE pages, job_runs, job_days, job_times')
  await world.sql('DELETE FROM pgboss.job')
})

const pages = async () =>
  (await world.sql('SELECT tenant_id::int, n, written_by FROM pages ORDER BY id')).map(({ tenant_id, n, written_by }) => [
    tenant_id,
    n,
    written_by,
  ])
const waiting = async (name: string) =>
  (await world.sql(`SELECT data, start_after FROM pgboss.job WHERE name = $1 AND state < 'active'`, [name])) as any[]
const outputs = async (name: string) =>
  (await world.sql('SELECT state, output FROM pgboss.job WHERE name = $1', [name])).map(({ state, output }) => [state, output])
const onPlatform = <T>(work: Parameters<typeof inPublic<T>>[2]) => inPublic(originOf(world.services), 'write', work)
const toward = (job: WorkspaceJob, data: object, options: { tenantId: number; actorId?: number }) =>
  onPlatform((ctx) => queue.send(ctx, job, data, options))

describe('a job of a workspace', () => {
  const send = (by: Person, n: number) => toward(signed, { n }, { tenantId: firm.id, actorId: by.id })

  it('belongs to the workspace that sent it, and to no other that it names', async () => {
    await firm.inside((ctx) => queue.send(ctx, sync, { book: 1 }))
    await world.drain()
    assert.deepEqual(await pages(), [[firm.id, 1, '0 before']])
    const foreign = other.inside((ctx) => queue.send(ctx, sync, { book: 2 }, { tenantId: firm.id }))
    await assert.rejects(foreign, /sent to no workspace, or to another/)
    await assert.rejects(
      onPlatform((ctx) => queue.send(ctx, sync, { book: 2 }, {} as any)),
      /to no workspace/,
    )
  })

  it('is gone with the transaction that sent it', async () => {
    const failing = firm.inside(async (ctx) => {
      await queue.send(ctx, sync, { book: 1 })
      throw new Error('thought better of it')
    })
    await assert.rejects(failing, /thought better/)
    assert.deepEqual(await waiting(sync.name), [])
  })

  it('runs as its sender with the rights of that moment', async () => {
    const writer = await firm.user(['pages.write'], 'Wanda Writer')
    await send(writer, 1)
    await world.drain()
    assert.deepEqual(await pages(), [[firm.id, 1, 'Wanda Writer']])

    await send(writer, 2)
    await world.sql(`UPDATE roles SET permissions = '{}' WHERE name LIKE '%of Wanda Writer'`)
    await world.drain()
    assert.deepEqual((await pages()).at(-1), [firm.id, -2, 'This needs the permission pages.write.'])
  })

  it('knows who worked as its sender', async () => {
    const writer = await firm.user(['pages.write'])
    const impersonator = { type: 'user', id: firm.owner.id, name: 'The owner' } as const
    await firm.inside((ctx) => queue.send({ ...ctx, actor: { ...ctx.actor, id: writer.id, impersonator } }, signed, { n: 3 }))
    const [job] = await world.sql(`SELECT data FROM pgboss.job WHERE name = $1 AND state = 'created'`, [signed.name])
    const session = await sessionFor(world.services, job.data, undefined)
    assert.deepEqual('actor' in session && session.actor.impersonator, impersonator)
    await world.drain()
  })

  const closings: { when: string; ended: string; close: (writer: Person) => Promise<unknown> }[] = [
    {
      when: 'the user is suspended',
      ended: 'The user on whose behalf it was is suspended.',
      close: (w) => world.sql('UPDATE users SET suspended_at = now() WHERE id = $1 AND tenant_id = $2', [w.id, firm.id]),
    },
    {
      when: 'the user is deleted',
      ended: 'The user on whose behalf it was is gone.',
      close: (w) => world.sql('UPDATE users SET deleted_at = now() WHERE id = $1 AND tenant_id = $2', [w.id, firm.id]),
    },
    {
      when: 'the workspace is suspended',
      ended: 'The workspace is suspended.',
      close: () => world.sql(`UPDATE tenants SET status = 'suspended' WHERE id = $1`, [firm.id]),
    },
    {
      when: 'the workspace is archived',
      ended: 'The workspace is archived.',
      close: () => world.sql('UPDATE tenants SET archived_at = now() WHERE id = $1', [firm.id]),
    },
    {
      when: 'the workspace is deleted',
      ended: 'The workspace is gone.',
      close: () => world.sql('UPDATE tenants SET deleted_at = now() WHERE id = $1', [firm.id]),
    },
    {
      when: 'the module is cancelled',
      ended: 'The module pages is not installed.',
      close: () => world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1`, [firm.id]),
    },
  ]
  for (const { when, ended, close } of closings)
    it(`ends without work, and without another try, when ${when}`, async () => {
      const writer = await firm.user(['pages.write'])
      await send(writer, 1)
      await close(writer)
      try {
        await world.drain('all')
        assert.deepEqual(await outputs(signed.name), [['completed', { ended }]])
        assert.deepEqual(await pages(), [])
      } finally {
        await world.sql(`UPDATE tenants SET status = 'active', archived_at = NULL, deleted_at = NULL`)
        await world.sql(`UPDATE module_subscriptions SET status = 'active'`)
      }
    })
})

describe('a queue', () => {
  it('takes one of a key, from however many senders, within a workspace', async () => {
    const sends = Array.from({ length: 8 }, () => firm.inside((ctx) => queue.send(ctx, sync, { book: 1 })))
    assert.deepEqual((await Promise.all(sends)).filter(Boolean).length, 1)
    assert.equal(await firm.inside((ctx) => queue.send(ctx, sync, { book: 2 })), true)
    assert.equal(await other.inside((ctx) => queue.send(ctx, sync, { book: 1 })), true)
    await world.drain()
    assert.equal((await pages()).length, 3)
    assert.equal(await firm.inside((ctx) => queue.send(ctx, sync, { book: 1 })), true)
  })

  it('runs one of a key at a time, and the others meanwhile', async () => {
    await world.sql(`UPDATE pgboss.queue SET singletons_active = NULL`)
    for (const book of [1, 2]) await firm.inside((ctx) => queue.send(ctx, sync, { book }))
    await world.sql(
      `UPDATE pgboss.job SET state = 'active', started_on = statement_timestamp(), heartbeat_on = statement_timestamp() WHERE name = $1 AND singleton_key = $2`,
      [sync.name, `${firm.id}:1`],
    )
    assert.equal(await firm.inside((ctx) => queue.send(ctx, sync, { book: 1 })), true)
    assert.equal(await firm.inside((ctx) => queue.send(ctx, sync, { book: 1 })), false)
    await world.drain()
    assert.deepEqual(await pages(), [[firm.id, 2, '0 before']])
    await world.sql(`UPDATE pgboss.job SET state = 'completed' WHERE name = $1 AND state = 'active'`, [sync.name])
    await world.drain()
    assert.deepEqual((await pages()).at(-1), [firm.id, 1, '1 before'])
  })

  it('keeps what is delayed until it is due by the services’ clock', async () => {
    world.clock.set('2027-01-01T12:00:00.000Z')
    await onPlatform((ctx) => queue.send(ctx, later, { note: 'in an hour' }, { delaySeconds: 3600 }))
    await onPlatform((ctx) => queue.send(ctx, later, { note: 'tomorrow' }, { startAt: '2027-01-02T09:00:00.000Z' }))
    const left = async () => (await waiting(later.name)).map(({ data }) => data.data.note).sort()
    await world.drain()
    assert.deepEqual(await left(), ['in an hour', 'tomorrow'])
    world.clock.set('2027-01-01T13:00:00.000Z')
    await world.drain('due')
    assert.deepEqual(await left(), ['tomorrow'])
    await world.drain('all')
    assert.deepEqual(await left(), [])
  })

  it('is brought up to date at start, and schedules that are no longer declared are removed', async () => {
    await world.sql(
      `UPDATE pgboss.queue SET retry_limit = 99, policy = 'standard', expire_seconds = 7, heartbeat_seconds = NULL WHERE name = $1`,
      [sync.name],
    )
    await world.sql(`INSERT INTO pgboss.schedule (name, key, cron, timezone) VALUES ($1, 'gone', '* * * * *', 'UTC')`, [
      dispatch.name,
    ])
    const worker = await startServices(world.services.config, {
      log: world.services.log,
      roots: [root],
      worker: true,
      migrate: false,
    })
    await worker.stop()
    const [row] = await world.sql(
      'SELECT retry_limit, policy, expire_seconds, heartbeat_seconds FROM pgboss.queue WHERE name = $1',
      [sync.name],
    )
    assert.deepEqual(row, { retry_limit: 6, policy: 'stately', expire_seconds: 900, heartbeat_seconds: 30 })
    const schedules = await world.sql(
      `SELECT name, key, cron, data FROM pgboss.schedule WHERE key <> '' OR name LIKE 'job-%' OR name LIKE 'sweep%' ORDER BY name, key`,
    )
    assert.deepEqual(schedules, [
      { name: dispatch.name, key: '', cron: '* * * * *', data: { data: {} } },
      { name: dispatch.name, key: hourly.name, cron: '0 * * * *', data: { data: { job: hourly.name } } },
      { name: 'sweep', key: '', cron: '17 3 * * *', data: null },
      { name: 'sweep-files', key: '', cron: '41 * * * *', data: null },
    ])
  })

  it('tells Prometheus of its tries and of what waits', async () => {
    await firm.inside((ctx) => queue.send(ctx, sync, { book: 1 }))
    await world.drain()
    await firm.inside((ctx) => queue.send(ctx, sync, { book: 2 }))
    const text = (await world.root.get('/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).raw.toString()
    assert.match(text, /job_duration_seconds_count\{queue="pages-sync",result="completed"\} [1-9]/)
    assert.match(text, /job_duration_seconds_count\{queue="pages-signed",result="ended"\} 6/)
    assert.match(text, /jobs_waiting\{queue="pages-sync"\} 1/)
    assert.match(text, /jobs_oldest_waiting_seconds\{queue="pages-sync"\} \d/)
  })
})

describe('a daily job', () => {
  const at = async (instant: string) => {
    world.clock.set(instant)
    await world.drain('due')
    return (await world.sql('SELECT count(*)::int FROM pages WHERE n = $1', [n]))[0].count
  }
  let n = -730
  const live = async (timezone: string, time?: string | null) => {
    await world.sql('UPDATE tenants SET timezone = $1 WHERE id = $2', [timezone, firm.id])
    await world.sql(`UPDATE tenants SET status = 'suspended' WHERE id <> $1`, [firm.id])
    await world.sql('DELETE FROM workspace_settings')
    if (time !== undefined)
      await world.sql(`INSERT INTO workspace_settings VALUES ($1, 'pages_time', $2, now())`, [firm.id, JSON.stringify(time)])
    n = time === undefined ? -730 : -800
  }

  it('runs at its time in the workspace’s zone, once a local day, and not for those that haven’t the module', async () => {
    await live('Asia/Kolkata')
    assert.equal(await at('2027-02-01T01:59:59.000Z'), 0)
    assert.equal(await at('2027-02-01T02:00:00.000Z'), 1)
    assert.equal(await at('2027-02-01T02:01:00.000Z'), 1)
    assert.equal(await at('2027-02-01T18:29:00.000Z'), 1)
    assert.equal(await at('2027-02-01T18:30:00.000Z'), 1, 'a new day there, whose time has not come')
    assert.equal(await at('2027-02-02T02:00:00.000Z'), 2)
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1`, [firm.id])
    assert.equal(await at('2027-02-03T02:00:00.000Z'), 2)
    await world.sql(`UPDATE module_subscriptions SET status = 'active' WHERE tenant_id = $1`, [firm.id])
  })

  it('runs late on the same day, and not for days that have passed', async () => {
    await live('America/New_York')
    assert.equal(await at('2027-02-05T04:59:00.000Z'), 1, 'a minute before midnight')
    assert.equal(await at('2027-02-05T05:00:00.000Z'), 1)
    assert.equal(await at('2027-02-08T20:00:00.000Z'), 2)
  })

  it('runs once when the clock goes back, and once when it was wrong by years', async () => {
    await live('UTC')
    assert.equal(await at('2027-02-10T08:00:00.000Z'), 1)
    assert.equal(await at('2031-02-10T08:00:00.000Z'), 2)
    assert.equal(await at('2027-02-10T09:00:00.000Z'), 2)
    assert.equal(await at('2027-02-10T07:30:00.000Z'), 2)
    assert.equal(await at('2027-02-11T07:30:00.000Z'), 3)
  })

  it('comes once on the days that lose and repeat an hour, at a time that a setting names', async () => {
    await live('Europe/Berlin', '02:30')
    assert.equal(await at('2027-03-28T00:59:00.000Z'), 0, '01:59, the minute before 03:00')
    assert.equal(await at('2027-03-28T01:00:00.000Z'), 1)
    assert.equal(await at('2027-03-28T01:30:00.000Z'), 1)
    assert.equal(await at('2027-10-31T00:29:00.000Z'), 1)
    assert.equal(await at('2027-10-31T00:30:00.000Z'), 2)
    assert.equal(await at('2027-10-31T01:30:00.000Z'), 2, '02:30 again')
  })

  it('takes the setting’s default, a changed setting, and null for never', async () => {
    await live('UTC', '09:15')
    assert.equal(await at('2027-04-01T09:14:00.000Z'), 0)
    assert.equal(await at('2027-04-01T09:15:00.000Z'), 1)
    await live('UTC', null)
    assert.equal(await at('2027-04-02T23:59:00.000Z'), 1)
    await world.sql('DELETE FROM workspace_settings')
    assert.equal(await at('2027-04-03T07:59:00.000Z'), 1)
    assert.equal(await at('2027-04-03T08:00:00.000Z'), 2)
  })

  it('comes once a day when the workspace moves to another zone, or chooses another time', async () => {
    await live('Europe/Berlin')
    assert.equal(await at('2027-04-10T06:00:00.000Z'), 1)
    await live('America/New_York')
    assert.equal(await at('2027-04-10T12:00:00.000Z'), 1)
    assert.equal(await at('2027-04-11T12:00:00.000Z'), 2)
    await live('UTC', '07:00')
    assert.equal(await at('2027-04-12T07:00:00.000Z'), 3)
    await live('UTC', '09:00')
    assert.equal(await at('2027-04-12T09:00:00.000Z'), 3)
    assert.equal(await at('2027-04-13T09:00:00.000Z'), 4)
  })

  it('comes from the next day on to a workspace that was made after its time', async () => {
    world.clock.set('2027-04-20T23:10:00.000Z') // 11:55 of the next day on the Chatham Islands
    const young = await world.workspace({ modules: ['pages'], timezone: 'Pacific/Chatham' })
    const runs = async (instant: string) => {
      await at(instant)
      return (await world.sql('SELECT count(*)::int FROM pages WHERE tenant_id = $1 AND n = -730', [young.id]))[0].count
    }
    assert.equal(await runs('2027-04-20T23:11:00.000Z'), 0)
    assert.equal(await runs('2027-04-21T18:44:00.000Z'), 0)
    assert.equal(await runs('2027-04-21T18:45:00.000Z'), 1)
    await world.sql('UPDATE tenants SET archived_at = now() WHERE id = $1', [young.id])
  })

  it('is enqueued once by workers that race, for thousands of workspaces as for one; a cron one too', async () => {
    await live('UTC')
    await world.sql(`INSERT INTO tenants (company_name, workspace_name, slug, email, created_at, updated_at)
      SELECT 'x', 'x', 'many-' || n, 'x@example.com', now(), now() FROM generate_series(1, 2100) n`)
    await world.sql(`INSERT INTO module_subscriptions (tenant_id, module_id, module_key, source, status, created_at, updated_at)
      SELECT t.id, m.id, m.key, 'purchased', 'active', now(), now() FROM tenants t, modules m WHERE t.slug LIKE 'many-%' AND m.key = 'pages'`)
    world.clock.set('2027-05-01T07:30:00.000Z')
    const run = () =>
      dispatch.handle(world.services, { data: { after: 0 } }, { signal: new AbortController().signal, module: undefined })
    await Promise.all([run(), run(), run()])
    const count = async (name: string) => {
      const [row] = await world.sql(
        `SELECT count(*)::int, count(DISTINCT data->>'tenant_id')::int AS tenants FROM pgboss.job WHERE name = $1`,
        [name],
      )
      return row
    }
    assert.deepEqual(await count(fixed.name), { count: 2101, tenants: 2101 })

    await world.sql(`UPDATE tenants SET status = 'suspended' WHERE id % 100 = 0`)
    const hours = async () => {
      await onPlatform((ctx) => queue.send(ctx, dispatch, { job: hourly.name, after: 0 }))
      for (let job: any; (job = (await waiting(dispatch.name))[0]); ) {
        await world.sql('DELETE FROM pgboss.job WHERE name = $1', [dispatch.name])
        await dispatch.handle(world.services, job.data, { signal: new AbortController().signal, module: undefined })
      }
    }
    await hours()
    const [{ open }] =
      await world.sql(`SELECT count(*)::int AS open FROM tenants t JOIN module_subscriptions s ON s.tenant_id = t.id
      WHERE t.status = 'active' AND s.status = 'active' AND s.module_key = 'pages'`)
    await hours()
    assert.deepEqual(await count(hourly.name), { count: open, tenants: open }, 'what still waits isn’t enqueued again')
    await world.sql(
      `DELETE FROM job_days; DELETE FROM module_subscriptions WHERE tenant_id IN (SELECT id FROM tenants WHERE slug LIKE 'many-%')`,
    )
    await world.sql(`DELETE FROM tenants WHERE slug LIKE 'many-%'`)
    await world.sql(`UPDATE tenants SET status = 'active'`)
  })
})

describe('work in steps', () => {
  const start = async (body: object) => (await firm.owner.post('/pages/runs', body)).body.data
  const read = async (id: string) => (await firm.owner.get(`/pages/runs/${id}`)).body.data

  it('writes everything once and shows its progress', async () => {
    world.clock.set('2027-06-01T01:00:00.000Z')
    const run = await start({ pages: 25, batch: 10 })
    assert.partialDeepStrictEqual(run, { state: 'waiting', done: 0, total: null, started_at: null })
    await world.drain()
    const done = await read(run.id)
    assert.partialDeepStrictEqual(done, { state: 'completed', done: 25, total: 25, error: null })
    assert.partialDeepStrictEqual(done, {
      created_by: firm.owner.id,
      started_at: '2027-06-01T01:00:00.000Z',
      finished_at: '2027-06-01T01:00:00.000Z',
    })
    assert.deepEqual(
      (await pages()).map(([, n]) => n),
      Array.from({ length: 25 }, (_, i) => i + 1),
    )
    await toward(fill, { run_id: run.id }, { tenantId: firm.id })
    await world.drain()
    assert.equal((await pages()).length, 25)
  })

  it('is seen in its own workspace only, by an id that is one', async () => {
    const { id } = await start({ pages: 1, batch: 1 })
    for (const path of [`/pages/runs/${id}`, '/pages/runs/1', `/pages/runs/${crypto.randomUUID()}`])
      assert.equal((await other.owner.get(path)).status, 404)
    assert.equal((await other.owner.post(`/pages/runs/${id}/cancel`)).status, 404)
  })

  it('keeps what was done before a batch failed, goes on there, and tells why it gave up', async () => {
    const { id } = await start({ pages: 30, batch: 10, fails: 25 })
    await world.drain()
    const told = 'Something went wrong on our side. It has been logged.'
    assert.deepEqual([(await read(id)).state, (await read(id)).error], ['waiting', told])
    await world.drain('all')
    const run = await read(id)
    assert.partialDeepStrictEqual(run, { state: 'failed', done: 20, error: told })
    assert.ok(run.finished_at)
    const numbers = (await pages()).map(([, n]) => n)
    assert.deepEqual(numbers, [...Array.from({ length: 20 }, (_, i) => i + 1), -1])
    assert.equal((await firm.owner.post(`/pages/runs/${id}/cancel`)).body.errors?.state?.length, 1)
  })

  it('can be cancelled, waiting or at work', async () => {
    const { id } = await start({ pages: 3, batch: 1 })
    assert.equal((await firm.owner.post(`/pages/runs/${id}/cancel`)).body.data.state, 'cancelled')
    await world.drain()
    assert.deepEqual(await pages(), [])
    assert.equal((await firm.owner.post(`/pages/runs/${id}/cancel`)).status, 422)

    const atWork = await start({ pages: 1000, batch: 1, seconds: 0.005 })
    const draining = world.drain()
    while (!(await pages()).length);
    const cancelled = (await firm.owner.post(`/pages/runs/${atWork.id}/cancel`)).body.data
    await draining
    assert.equal(cancelled.state, 'cancelled')
    assert.deepEqual([(await read(atWork.id)).state, (await pages()).length], ['cancelled', cancelled.done])
  })

  it('goes on in another worker when its own is lost, and fails when that happens again and again in one batch', async () => {
    const { id } = await start({ pages: 30, batch: 10 })
    await world.sql('DELETE FROM pgboss.job')
    const lose = () =>
      world.sql(`UPDATE job_runs SET state = 'running', leased_until = statement_timestamp() - interval '1 second'`)
    await world.sql(`UPDATE job_runs SET cursor = '10', done = 10, turn = 1`)
    await lose()
    await world.drain('due')
    assert.deepEqual([(await read(id)).state, (await read(id)).done], ['completed', 30])
    assert.deepEqual(
      (await pages()).map(([, n]) => n),
      Array.from({ length: 20 }, (_, i) => i + 11),
    )

    const doomed = await start({ pages: 30, batch: 10 })
    await world.sql('UPDATE job_runs SET rescues = 5 WHERE id = $1', [doomed.id])
    await world.sql('DELETE FROM pgboss.job')
    await world.sql(
      `UPDATE job_runs SET state = 'running', leased_until = statement_timestamp() - interval '1 second' WHERE id = $1`,
      [doomed.id],
    )
    await world.drain('due')
    assert.match((await read(doomed.id)).error, /lost 6 times/)
  })

  it('ends with the reason when its workspace loses the module', async () => {
    const { id } = await start({ pages: 1, batch: 1 })
    await world.sql(`UPDATE module_subscriptions SET status = 'cancelled' WHERE tenant_id = $1`, [firm.id])
    await world.drain()
    await world.sql(`UPDATE module_subscriptions SET status = 'active' WHERE tenant_id = $1`, [firm.id])
    assert.deepEqual([(await read(id)).state, (await read(id)).error], ['failed', 'The module pages is not installed.'])
  })
})

describe('working as the queue’s owner', () => {
  it('gives the role back when the work fails', async () => {
    const roles = await firm.inside(async (ctx) => {
      const role = async () => (await sql<{ role: string }>`SELECT current_user AS role`.execute(ctx.tx)).rows[0]!.role
      const failing = asLoginRole(ctx.tx, ctx.role, async () => {
        assert.notEqual(await role(), 'app_tenant')
        throw new Error('no')
      })
      await assert.rejects(failing, /no/)
      return role()
    })
    assert.equal(roles, 'app_tenant')
    const aborted = firm.inside((ctx) => asLoginRole(ctx.tx, ctx.role, () => sql`SELECT 1 / 0`.execute(ctx.tx)))
    await assert.rejects(aborted, /division by zero/)
  })
})
