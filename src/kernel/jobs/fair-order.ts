/**
 * Turns in a queue, by workspace and by time used (decision 0016). A job's priority is the instant at which its turn comes: now for a
 * workspace that used nothing of that queue lately, a minute later for each second that its jobs took, and behind its last waiting job by
 * as much again as its jobs take on average. So a backlog stands behind the first jobs of all others, an expensive workspace behind cheap
 * ones, and both are overtaken for hours, not for ever.
 */
import type { Db } from 'pg-boss'
import type { Database } from '../database/connect.ts'
import type { Message } from './job.ts'
import { MEAN_MS, USED_MS } from './time-used.ts'

/** How much later a workspace has its turn for each second that it used lately, and its next waiting job for each second that one takes. In seconds. */
const LATER_BY_USE = 60
const LATER_BY_JOB = 3600
/** What a job takes at least, and at most: a step is 6 minutes to 10 hours. Unknown: a second. In milliseconds. */
const LEAST_MS = 100
const MOST_MS = 10_000
const UNKNOWN_MS = 1000
/** Priorities are 32 bits: instants are counted from here, in seconds. */
const EPOCH = Date.UTC(2026, 0) / 1000
const LATEST = 2 ** 31 - 1

interface Row {
  data: Message
  startAfter?: number
}

/** What a workspace has in a queue. */
interface Standing {
  /** Turn of its last waiting job; null: none waits. */
  turn: number | null
  /** Milliseconds that its jobs took lately, and one of them on average; null: none lately. */
  used: number | null
  mean: number | null
}

/** Gives jobs the priorities by which pg-boss takes them: the lower the turn, the higher. Asks for each workspace once, by an index. */
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

/** Of one workspace by one look into the index; of many by one pass over what waits in that queue, whatever the planner knows of it. */
async function standingsOf(db: Db, queue: string, workspaces: number[]): Promise<Map<number, Standing>> {
  const waiting = `pgboss.job WHERE name = $1 AND state < 'active'`
  const used = 'LEFT JOIN pgboss.time_used used ON used.queue = $1 AND used.tenant_id = w.id'
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

/** The index by which a workspace's last waiting job is found, on pg-boss's own table. */
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
