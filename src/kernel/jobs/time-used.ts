/**
 * Time that jobs of each workspace took lately, by queue and over all processes: what turns are assigned by (fair-order.ts, decision 0016).
 * A job under way is charged once a second. Times halve every minute, in a table that a crash may empty.
 */
import type { Logger } from 'pino'
import type { Database } from '../database/connect.ts'

/** Seconds after which used time counts half. */
const HALF_LIFE = 60
/** Milliseconds between two charges, and between two purges of rows that count nothing any more. */
const CHARGE_EVERY = 1000
const PURGE_EVERY = 3_600_000

/** Part of what was used that still counts, in SQL over `pgboss.time_used`. */
const REMAINING = `power(0.5, greatest(0, extract(epoch FROM clock_timestamp() - used.at)) / ${HALF_LIFE})`
/** Milliseconds that a workspace's jobs took lately, and one of its jobs on average; in SQL over the row `used`. */
export const USED_MS = `used.ms * ${REMAINING}`
export const MEAN_MS = 'used.ms / greatest(used.jobs, 1)'

export interface TimeUsed {
  /** Begins to charge a workspace for a job; the answer ends it. */
  begin(queue: string, workspace: number): () => void
  /** Writes what is not charged yet. */
  charge(): Promise<void>
  /** Charges once a second from now on; the answer stops that. */
  start(): () => Promise<void>
}

interface UnderWay {
  queue: string
  workspace: number
  /** Until when it is charged, by the monotonic clock in milliseconds. */
  since: number
}

/** Meter of this process. What it can't write is forgotten: only the order of jobs depends on it. */
export function timeUsed(database: () => Database, log: Logger): TimeUsed {
  const underWay = new Set<UnderWay>()
  const owed = new Map<string, { queue: string; workspace: number; ms: number; jobs: number }>()
  let purgedAt = performance.now()

  function owe({ queue, workspace, since }: UnderWay, now: number, jobs: number) {
    const key = `${queue} ${workspace}`
    const entry = owed.get(key) ?? { queue, workspace, ms: 0, jobs: 0 }
    owed.set(key, { ...entry, ms: entry.ms + now - since, jobs: entry.jobs + jobs })
  }

  async function charge() {
    const now = performance.now()
    for (const one of underWay) {
      owe(one, now, 0)
      one.since = now
    }
    // In one order, so that two processes don't wait for each other in a circle.
    const entries = [...owed.values()].sort((a, b) => a.workspace - b.workspace || (a.queue < b.queue ? -1 : 1))
    owed.clear()
    const columns = (['queue', 'workspace', 'ms', 'jobs'] as const).map((key) => entries.map((entry) => entry[key]))
    try {
      if (entries.length)
        await database().statement(
          `INSERT INTO pgboss.time_used AS used (queue, tenant_id, ms, jobs, at)
           SELECT queue, tenant_id, ms, jobs, clock_timestamp()
           FROM unnest($1::text[], $2::int[], $3::float8[], $4::float8[]) AS more (queue, tenant_id, ms, jobs)
           ON CONFLICT (queue, tenant_id) DO UPDATE
           SET ms = ${USED_MS} + excluded.ms, jobs = used.jobs * ${REMAINING} + excluded.jobs, at = excluded.at`,
          columns,
        )
      if (now - purgedAt < PURGE_EVERY) return
      purgedAt = now
      await database().statement(`DELETE FROM pgboss.time_used WHERE at < now() - interval '1 hour'`, [])
    } catch (error) {
      log.warn({ err: error }, 'time used by jobs can not be charged')
    }
  }

  return {
    charge,
    begin(queue, workspace) {
      const one = { queue, workspace, since: performance.now() }
      underWay.add(one)
      return () => {
        underWay.delete(one)
        owe(one, performance.now(), 1)
      }
    },
    start() {
      let charging: Promise<void> | undefined
      const timer = setInterval(() => {
        if (underWay.size || owed.size) charging ??= charge().finally(() => (charging = undefined))
      }, CHARGE_EVERY)
      return async () => {
        clearInterval(timer)
        await charging
        await charge()
      }
    },
  }
}

/** Makes the table: a row for each workspace and queue in which it had a job within the last hours. */
export async function prepareTimeUsed(database: Database) {
  await database.statement(
    `DO $$ BEGIN
       IF to_regclass('pgboss.time_used') IS NULL THEN
         PERFORM pg_advisory_xact_lock(hashtext('pgboss.time_used'));
         CREATE UNLOGGED TABLE IF NOT EXISTS pgboss.time_used (
           queue text, tenant_id int, ms float8 NOT NULL, jobs float8 NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (tenant_id, queue));
       END IF;
     END $$`,
    [],
  )
}
