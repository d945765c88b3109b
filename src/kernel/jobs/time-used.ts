/**
 * Recent run time of each workspace's jobs, by queue and over all processes, from which the fair order is computed
 * (fair-order.ts, decision 0016). A running job is charged once a second. Times halve every minute. The table is unlogged, so a
 * crash may empty it.
 */
import type { Logger } from 'pino'
import type { Database } from '../database/connect.ts'

/** Time after which used time counts half, in seconds. */
const HALF_LIFE = 60
/** Interval between charges, and between purges of rows without effect. In milliseconds. */
const CHARGE_EVERY = 1000
const PURGE_EVERY = 3_600_000

/** SQL expression over `pgboss.time_used`: remaining share of the used time. */
const REMAINING = `power(0.5, greatest(0, extract(epoch FROM clock_timestamp() - used.at)) / ${HALF_LIFE})`
/** SQL expressions over the row `used`: recently used milliseconds of a workspace, and the average of a job. */
export const USED_MS = `used.ms * ${REMAINING}`
export const MEAN_MS = 'used.ms / greatest(used.jobs, 1)'

/** Charges run time to workspaces. */
export interface TimeUsed {
  /** Starts to charge a workspace for a job. Returns a function that ends it. */
  begin(queue: string, workspace: number): () => void
  /** Writes uncharged time. */
  charge(): Promise<void>
  /** Starts to charge once a second. Returns a function that stops it. */
  start(): () => Promise<void>
}

interface UnderWay {
  queue: string
  workspace: number
  /** Monotonic time in milliseconds up to which it is charged. */
  since: number
}

/** Returns the meter of this process. Time that it can't write is dropped: only the order of jobs depends on it. */
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
    // A fixed order prevents deadlocks between processes.
    const entries = [...owed.values()].sort((a, b) => a.workspace - b.workspace || (a.queue < b.queue ? -1 : 1))
    owed.clear()
    const columns = (['queue', 'workspace', 'ms', 'jobs'] as const).map((key) => entries.map((entry) => entry[key]))
    try {
      if (entries.length)
        await database().statement(
          `INSERT INTO pgboss.time_used AS used (queue, workspace, ms, jobs, at)
           SELECT queue, workspace, ms, jobs, clock_timestamp()
           FROM unnest($1::text[], $2::int[], $3::float8[], $4::float8[]) AS more (queue, workspace, ms, jobs)
           ON CONFLICT (queue, workspace) DO UPDATE
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

/** Creates the table: a row for each workspace and queue with a job within the last hours. */
export async function prepareTimeUsed(database: Database) {
  await database.statement(
    `DO $$ BEGIN
       IF to_regclass('pgboss.time_used') IS NULL THEN
         PERFORM pg_advisory_xact_lock(hashtext('pgboss.time_used'));
         CREATE UNLOGGED TABLE IF NOT EXISTS pgboss.time_used (
           queue text, workspace int, ms float8 NOT NULL, jobs float8 NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (workspace, queue));
       END IF;
     END $$`,
    [],
  )
}
