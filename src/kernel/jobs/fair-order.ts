/**
 * Fair order of a queue's jobs, by workspace and by time used (decision 0016). A job's priority is derived from its scheduled
 * instant (`turn`). That is now for a workspace without recent use of the queue, plus a minute for each second that its jobs
 * took. It is also later than the workspace's last waiting job, in proportion to the average duration of its jobs. So a backlog
 * comes after the first jobs of all other workspaces, and an expensive workspace after cheap ones. Both are overtaken for hours,
 * not for ever.
 */
import type { Db } from 'pg-boss'
import type { Database } from '../database/connect.ts'
import type { Message } from './job.ts'
import { MEAN_MS, USED_MS } from './time-used.ts'

/**
 * Delay of a workspace for each second that it used recently, and of its next waiting job for each second that a job takes. In
 * seconds.
 */
const LATER_BY_USE = 60
const LATER_BY_JOB = 3600
/** Bounds of a job's assumed duration, so that a step is 6 minutes to 10 hours; one second if it is unknown. In milliseconds. */
const LEAST_MS = 100
const MOST_MS = 10_000
const UNKNOWN_MS = 1000
/** Start of scheduled instants, in seconds: priorities have 32 bits. */
const EPOCH = Date.UTC(2026, 0) / 1000
const LATEST = 2 ** 31 - 1

interface Row {
  data: Message
  startAfter?: number
}

/** State of a workspace in a queue. */
interface Standing {
  /** Scheduled instant of its last waiting job; null if none waits. */
  turn: number | null
  /** Recently used time in milliseconds, and the average of a job; null without recent jobs. */
  used: number | null
  mean: number | null
}

/**
 * Assigns pg-boss priorities to jobs: the earlier the scheduled instant, the higher the priority. Reads each workspace once, by
 * an index.
 */
export async function assignTurns<R extends Row>(db: Db, queue: string, rows: R[]): Promise<(R & { priority: number })[]> {
  const workspaces = [...new Set(rows.flatMap(({ data }) => data.tenant_id ?? []))]
  const standings = workspaces.length ? await standingsOf(db, queue, workspaces) : new Map<number, Standing>()
  const now = Math.floor(Date.now() / 1000) - EPOCH
  return rows.map((row) => {
    const { tenant_id } = row.data
    const due = now + (row.startAfter ?? 0)
    if (tenant_id === undefined) return { ...row, priority: -due }
    const { turn: before = null, used = null, mean = null } = standings.get(tenant_id) ?? {}
    const first = due + Math.round(((used ?? 0) / 1000) * LATER_BY_USE)
    const step = Math.round((Math.min(MOST_MS, Math.max(LEAST_MS, mean ?? UNKNOWN_MS)) / 1000) * LATER_BY_JOB)
    const turn = Math.min(LATEST, before === null ? first : Math.max(first, before + step))
    standings.set(tenant_id, { turn, used, mean })
    return { ...row, priority: -turn }
  })
}

/**
 * Reads the state of workspaces in a queue. One index lookup for a single workspace; for several, one pass over the queue's
 * waiting jobs, independent of the planner's statistics.
 */
async function standingsOf(db: Db, queue: string, workspaces: number[]): Promise<Map<number, Standing>> {
  const waiting = `pgboss.job WHERE name = $1 AND state < 'active'`
  const used = 'LEFT JOIN pgboss.time_used used ON used.queue = $1 AND used.workspace = w.id'
  const { rows } =
    workspaces.length === 1
      ? await db.executeSql(
          `SELECT w.id, ${USED_MS} AS used, ${MEAN_MS} AS mean,
             (SELECT -priority FROM ${waiting} AND data ->> 'tenant_id' = $2::text ORDER BY priority LIMIT 1) AS turn
           FROM (SELECT $2::text::int AS id) w ${used}`,
          [queue, String(workspaces[0])],
        )
      : await db.executeSql(
          `SELECT w.id, ${USED_MS} AS used, ${MEAN_MS} AS mean, j.turn FROM unnest($2::int[]) AS w (id)
           LEFT JOIN (SELECT data ->> 'tenant_id' AS id, -min(priority) AS turn FROM ${waiting} GROUP BY 1) j ON j.id = w.id::text ${used}`,
          [queue, workspaces],
        )
  return new Map(rows.map(({ id, ...standing }) => [id, standing]))
}

/** Creates the index on pg-boss's table that finds a workspace's last waiting job. */
export async function indexTurns(database: Database) {
  await database.statement(
    `DO $$ BEGIN
       IF to_regclass('pgboss.job_turns') IS NULL THEN
         PERFORM pg_advisory_xact_lock(hashtext('pgboss.job_turns'));
         CREATE INDEX IF NOT EXISTS job_turns ON pgboss.job (name, (data ->> 'tenant_id'), priority) WHERE state < 'active';
       END IF;
     END $$`,
    [],
  )
}
