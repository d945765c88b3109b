/** Scheduled jobs of each workspace that has their module: by a cron expression, or once a local day. */
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { inPublic, originOf, type PublicCtx, type Services } from '../context.ts'
import type { Module } from '../modules/module.ts'
import { LIVE } from '../modules/subscriptions.ts'
import { isOpen } from '../tenancy/session.ts'
import { type Daily, defineJob, type WorkspaceJob } from './job.ts'
import * as apart from './schedule-on-cluster.ts'

/** Number of workspaces for which one transaction enqueues a job. */
const BATCH = 2000

/**
 * Enqueues a job for each workspace that has its module. Sent by the job's own cron expression; `after` is the last workspace of
 * the previous batch. Without a job: sent every minute, for all daily jobs.
 */
export const dispatch = defineJob({
  name: 'job-dispatch',
  data: z.object({ job: z.string().optional(), after: z.int().default(0) }),
  async run(services, { job: name, after }) {
    if (name === undefined) return dispatchDaily(services)
    const found = services.queue.jobs.get(name)
    if (found?.job.of !== 'workspace') return // its schedule is removed at the next start
    const { module, job } = found
    await inPublic(originOf(services), 'write', async (ctx) => {
      const ids = await nextOpen(ctx, module, after)
      await enqueue(ctx, job, ids)
      if (ids.length === BATCH) await services.queue.send(ctx, dispatch, { job: name, after: ids.at(-1)! })
    })
  },
})

/**
 * Enqueues daily jobs whose local time has come: once for each workspace and local date, regardless of the number of calls,
 * concurrent processes, or the delay on that date. Wall clock times are compared. A time skipped by a change to summer time is
 * therefore due at the next existing time, and a repeated hour doesn't run it twice.
 */
export async function dispatchDaily(services: Services) {
  const instant = Temporal.Instant.from(services.clock.now())
  for (const { module, job } of services.queue.jobs.values())
    if (job.of === 'workspace' && job.daily) await dispatchOne(services, module, job, job.daily, instant)
}

async function dispatchOne(
  services: Services,
  module: Module | undefined,
  job: WorkspaceJob,
  daily: Daily,
  instant: Temporal.Instant,
) {
  const setting = 'setting' in daily ? daily.setting : undefined
  const usual = 'at' in daily ? daily.at : ((services.modules.settings.get(daily.setting)?.default as string | null) ?? '')
  const isUsual = ({ since, time }: Window) => since < usual && usual <= time
  const windows = (await windowsOf(services, job, instant)).filter((one) => (setting ? one.since < one.time : isUsual(one)))
  if (!windows.length) return
  const claimAll = async (those: Window[], which: 'usual' | 'own') => {
    const groups = grouped(those)
    for (let after: number | null = 0; after !== null && those.length; ) {
      const from: number = after
      after = await inPublic(originOf(services), 'write', async (ctx) => {
        if (services.database.isCluster) {
          const options = { after: from, usual, setting: setting!, most: BATCH }
          const next = await (which === 'usual' ? apart.withTheUsual : apart.withTheirOwn)(ctx, groups, options)
          await enqueue(ctx, job, await apart.claimDays(ctx, module, job.name, next))
          return next.length === BATCH ? next.at(-1)!.id : null
        }
        const text = JSON.stringify(groups)
        return claim(
          ctx,
          module,
          job,
          which === 'usual' ? withTheUsual(text, from, usual, setting) : withTheirOwn(text, from, setting!),
        )
      })
    }
  }
  await claimAll(windows.filter(isUsual), 'usual')
  if (setting) await claimAll(windows, 'own')
  await services.database.platform('write', (tx) =>
    sql`
      INSERT INTO job_times (job, zone, day, time)
      SELECT ${job.name}, zone, day, time FROM json_to_recordset(${JSON.stringify(windows)}) AS w(zone text, day date, time text)
      ON CONFLICT (job, zone, day) DO UPDATE SET time = greatest(job_times.time, excluded.time)`.execute(tx),
  )
}

/** Local date and time of a zone, and the time up to which a job has been enqueued there on that day. HH:MM. */
interface Window {
  zone: string
  day: string
  since: string
  time: string
}

async function windowsOf(services: Services, job: WorkspaceJob, instant: Temporal.Instant): Promise<Window[]> {
  return services.database.platform('read', async (tx) => {
    // One index lookup for each zone, whatever the number of workspaces.
    const { rows: zones } = await sql<{ zone: string }>`
      WITH RECURSIVE zones(zone) AS (
        SELECT min(timezone) FROM tenants
        UNION ALL SELECT (SELECT min(timezone) FROM tenants WHERE timezone > zone) FROM zones WHERE zone IS NOT NULL)
      SELECT zone FROM zones WHERE zone IS NOT NULL`.execute(tx)
    const shown = zones.map(({ zone }) => {
      const local = instant.toZonedDateTimeISO(zone)
      return { zone, day: local.toPlainDate().toString(), time: local.toPlainTime().toString({ smallestUnit: 'minute' }) }
    })
    const { rows } = await sql<Window>`
      SELECT w.zone, w.day, w.time, coalesce(j.time, '') AS since
      FROM json_to_recordset(${JSON.stringify(shown)}) AS w(zone text, day date, time text)
      LEFT JOIN job_times j ON j.job = ${job.name} AND j.zone = w.zone AND j.day = w.day`.execute(tx)
    return rows
  })
}

/** Groups zones with the same local time, which are queried together. */
const grouped = (windows: Window[]) =>
  Object.values(Object.groupBy(windows, ({ day, since, time }) => `${day} ${since} ${time}`)).map((same = []) => ({
    ...same[0]!,
    zones: same.map(({ zone }) => zone),
  }))

const groupsOf = (groups: string) => sql`json_to_recordset(${groups}) AS g(day date, since text, "time" text, zones text[])`

/** Selects the next workspaces of these zones without a time of their own. Those created today after the time start tomorrow. */
const withTheUsual = (groups: string, after: number, usual: string, setting: string | undefined) => sql`
  SELECT t.id, t.day, NOT t.is_younger
    AND (SELECT s.key FROM workspace_settings s WHERE s.tenant_id = t.id AND s.key = ${setting ?? null}::text) IS NULL AS is_due
  FROM (SELECT t.id, g.day, t.created_at AT TIME ZONE t.timezone BETWEEN g.day + ${usual}::time AND g.day + time '24:00' AS is_younger
    FROM ${groupsOf(groups)} JOIN tenants t ON t.timezone = ANY (g.zones)
    WHERE t.id > ${after} ORDER BY t.id LIMIT ${BATCH}) t`

/** Selects the next workspaces of these zones whose own time is within the zone's window. */
const withTheirOwn = (groups: string, after: number, setting: string) => sql`
  SELECT t.id, g.day, true AS is_due
  FROM ${groupsOf(groups)}
  CROSS JOIN LATERAL ( -- OFFSET keeps the planner from reading the settings of all zones first
    SELECT s.tenant_id FROM workspace_settings s
    WHERE s.key = ${setting} AND length(s.value #>> '{}') = 5 AND s.value #>> '{}' > g.since AND s.value #>> '{}' <= g.time OFFSET 0) s
  JOIN tenants t ON t.id = s.tenant_id AND t.timezone = ANY (g.zones)
  WHERE t.id > ${after} ORDER BY t.id LIMIT ${BATCH}`

/**
 * Claims the day for a batch of workspaces and enqueues their jobs. Returns the batch's last workspace, or null after the last
 * batch.
 */
async function claim(ctx: PublicCtx, module: Module | undefined, job: WorkspaceJob, candidates: RawBuilder<unknown>) {
  const { rows } = await sql<{ n: number; last: number; claimed: number[] }>`
    WITH c AS MATERIALIZED (${candidates}), claimed AS (
      INSERT INTO job_days (tenant_id, job, day)
      SELECT c.id, ${job.name}, c.day FROM c JOIN tenants t ON t.id = c.id WHERE c.is_due AND ${openWith(module)}
      ON CONFLICT (tenant_id, job) DO UPDATE SET day = excluded.day WHERE job_days.day <> excluded.day
      RETURNING tenant_id)
    SELECT count(*) AS n, max(id) AS last, (SELECT coalesce(json_agg(tenant_id), '[]') FROM claimed) AS claimed FROM c`.execute(
    ctx.tx,
  )
  const { n, last, claimed } = rows[0]!
  await enqueue(ctx, job, claimed)
  return n === BATCH ? last : null
}

/** Returns the next open workspaces that have the module. */
async function nextOpen(ctx: PublicCtx, module: Module | undefined, after: number): Promise<number[]> {
  if (ctx.services.database.isCluster && module && !module.core) return apart.openWorkspaces(ctx, module, after, BATCH)
  const { rows } = await sql<{ id: number }>`
    SELECT t.id FROM tenants t WHERE ${openWith(module)} AND t.id > ${after} ORDER BY t.id LIMIT ${BATCH}`.execute(ctx.tx)
  return rows.map(({ id }) => id)
}

/** Condition on `t`: the workspace is open and has the module. */
const openWith = (module: Module | undefined) =>
  sql`${isOpen('t')} AND ${
    !module || module.core
      ? sql`true`
      : // Not EXISTS: converted to a join, it would read all workspaces' subscriptions for each batch.
        sql`(SELECT true FROM module_subscriptions m
        WHERE m.tenant_id = t.id AND m.module_key = ${module.key} AND m.status IN (${sql.join(LIVE.map(sql.lit))}) LIMIT 1)`
  }`

const enqueue = (ctx: PublicCtx, job: WorkspaceJob, workspaces: number[]) =>
  ctx.services.queue.sendAll(
    ctx,
    job,
    workspaces.map((tenantId) => ({ tenantId, data: {} })),
  )
