/** Jobs that come round in each workspace that has their module: on a cron expression, or once a local day. */
import { sql } from 'kysely'
import { z } from 'zod'
import { inPublic, originOf, type PublicCtx, type Services } from '../context.ts'
import type { Module } from '../modules/load.ts'
import { type Daily, defineJob, type WorkspaceJob } from './job.ts'

/** Workspaces that one transaction enqueues a job for. */
const BATCH = 1000

/**
 * Enqueues a job for each workspace that has its module. Sent on the job's own cron expression; `after` is the last workspace
 * that an earlier batch has done. Without a job: every minute, for all daily jobs.
 */
export const dispatch = defineJob({
  name: 'job-dispatch',
  data: z.object({ job: z.string().optional(), after: z.int().default(0) }),
  async run(services, { job: name, after }) {
    if (name === undefined) return dispatchDaily(services)
    const found = (await services.modules.jobs()).find(({ job }) => job.name === name)
    if (!found) return // its schedule is removed at the next start
    const { module, job } = found as { module: Module; job: WorkspaceJob }
    await inPublic(originOf(services), 'write', async (ctx) => {
      const { rows } = await sql<{ id: number }>`
        SELECT t.id FROM tenants t WHERE ${isOpen(module)} AND t.id > ${after} ORDER BY t.id LIMIT ${BATCH}`.execute(ctx.tx)
      await enqueue(ctx, job, rows)
      if (rows.length === BATCH) await services.queue.send(ctx, dispatch, { job: name, after: rows.at(-1)!.id })
    })
  },
})

/**
 * Enqueues every daily job where its local time has come and where it hasn't been enqueued on that local date: however often
 * this is called, by however many processes at once, and however late. Wall clocks are compared, so that a time that a change
 * to summer time leaves out comes with the next one that there is, and a repeated hour finds its day claimed.
 */
export async function dispatchDaily(services: Services) {
  const daily = (await services.modules.jobs()).filter(({ job }) => job.of === 'workspace' && job.daily)
  if (!daily.length) return
  const zones = await localTimes(services)
  for (const { module, job } of daily as { module: Module; job: WorkspaceJob & { daily: Daily } }[]) {
    const due = 'at' in job.daily ? zones.filter(({ time }) => time >= (job.daily as { at: string }).at) : zones
    while (due.length && (await inPublic(originOf(services), 'write', (ctx) => claim(ctx, module, job, due))));
  }
}

interface LocalTime {
  zone: string
  day: string
  /** HH:MM */
  time: string
}

/** What calendars and clocks show in the zones that workspaces are in. */
async function localTimes({ database, clock }: Services): Promise<LocalTime[]> {
  const instant = Temporal.Instant.from(clock.now())
  // One look into the index for each zone, however many workspaces there are.
  const { rows } = await database.platform('read', (tx) =>
    sql<{ zone: string }>`
      WITH RECURSIVE zones(zone) AS (
        SELECT min(timezone) FROM tenants
        UNION ALL SELECT (SELECT min(timezone) FROM tenants WHERE timezone > zone) FROM zones WHERE zone IS NOT NULL)
      SELECT zone FROM zones WHERE zone IS NOT NULL`.execute(tx),
  )
  return rows.map(({ zone }) => {
    const local = instant.toZonedDateTimeISO(zone)
    return { zone, day: local.toPlainDate().toString(), time: local.toPlainTime().toString({ smallestUnit: 'minute' }) }
  })
}

/** Claims the day for up to a batch of workspaces and enqueues the job there. Gives how many it were. */
async function claim(ctx: PublicCtx, module: Module, job: WorkspaceJob & { daily: Daily }, zones: LocalTime[]) {
  const { daily } = job
  const setting = 'setting' in daily ? daily.setting : undefined
  const fallback = setting === undefined ? null : ctx.services.modules.settings.get(setting)?.default
  const chosen = sql`(SELECT s.value #>> '{}' FROM workspace_settings s WHERE s.tenant_id = t.id AND s.key = ${setting})`
  const isSet = sql`EXISTS (SELECT FROM workspace_settings s WHERE s.tenant_id = t.id AND s.key = ${setting})`
  const isTime = setting === undefined ? sql`true` : sql`z.time >= CASE WHEN ${isSet} THEN ${chosen} ELSE ${fallback}::text END`
  const { rows } = await sql<{ id: number }>`
    INSERT INTO job_days (tenant_id, job, day)
    SELECT t.id, ${job.name}, z.day
    FROM unnest(${zones.map(({ zone }) => zone)}::text[], ${zones.map(({ day }) => day)}::date[], ${zones.map(({ time }) => time)}::text[])
      AS z(zone, day, time)
    JOIN tenants t ON t.timezone = z.zone
    WHERE ${isOpen(module)} AND ${isTime}
      AND NOT EXISTS (SELECT FROM job_days d WHERE d.tenant_id = t.id AND d.job = ${job.name} AND d.day = z.day)
    LIMIT ${BATCH}
    ON CONFLICT DO NOTHING RETURNING tenant_id AS id`.execute(ctx.tx)
  await enqueue(ctx, job, rows)
  return rows.length
}

const isOpen = (module: Module) =>
  sql`t.deleted_at IS NULL AND t.archived_at IS NULL AND t.status = 'active' AND ${
    module.core
      ? sql`true`
      : sql`EXISTS (SELECT FROM module_subscriptions m
        WHERE m.tenant_id = t.id AND m.module_key = ${module.key} AND m.status IN ('trialing', 'active', 'past_due'))`
  }`

const enqueue = (ctx: PublicCtx, job: WorkspaceJob, workspaces: { id: number }[]) =>
  ctx.services.queue.sendAll(
    ctx,
    job,
    workspaces.map(({ id }) => ({ tenantId: id, data: {} })),
  )
