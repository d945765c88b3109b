/**
 * Prometheus metrics of jobs, by queue: the label `job` is reserved by Prometheus for its scrape targets. Tries are counted for
 * this process, waiting jobs for the whole queue.
 */
import { Gauge, Histogram, type Registry } from 'prom-client'
import type { Database } from '../database/connect.ts'
import { DEAD_LETTERS } from './queue-setup.ts'

/** Result of a try. `ended`: the job could no longer run. */
export type Result = 'completed' | 'ended' | 'retried' | 'failed'

export interface JobMetrics {
  observe(queue: string, result: Result, milliseconds: number): void
  register(registry: Registry, database: Database): void
}

/** Returns the meters of this process. They appear once they are registered. */
export function jobMetrics(): JobMetrics {
  const tries = new Histogram({
    name: 'job_duration_seconds',
    help: 'Time that a try of a job took, by its result; its count is the number of tries',
    labelNames: ['queue', 'result'],
    buckets: [0.01, 0.1, 0.5, 1, 5, 30, 120, 600],
    registers: [],
  })
  return {
    observe: (queue, result, milliseconds) => tries.observe({ queue, result }, milliseconds / 1000),
    register(registry, database) {
      registry.registerMetric(tries)
      let asked: Promise<QueueState[]> | undefined
      const ask = () => (asked ??= queueStates(database).finally(() => (asked = undefined)))
      const gauge = (name: string, help: string, of: (one: QueueState) => number | null) =>
        new Gauge({
          name,
          help,
          labelNames: ['queue'],
          registers: [registry],
          aggregator: 'max',
          async collect() {
            const jobs = await ask()
            this.reset()
            for (const one of jobs) this.set({ queue: one.name }, of(one) ?? 0)
          },
        })
      gauge('jobs_waiting', 'Jobs that could run and wait for a worker', ({ waiting }) => waiting)
      gauge('jobs_oldest_waiting_seconds', 'How long the oldest of them has been waiting', ({ seconds }) => seconds)
      gauge('jobs_dead', 'Jobs that were given up and lie in the dead letters', ({ dead }) => dead)
    },
  }
}

interface QueueState {
  name: string
  waiting: number
  /** null if nothing waits. */
  seconds: number | null
  dead: number
}

/**
 * Returns the state of each queue with waiting or dead jobs. Empty while the database is unreachable, because the other metrics
 * matter most then.
 */
const queueStates = (database: Database) =>
  database
    .statement<QueueState>(
      `SELECT coalesce(CASE WHEN name = $1 THEN source_name END, name) AS name,
         (count(*) FILTER (WHERE name <> $1))::int AS waiting, (count(*) FILTER (WHERE name = $1))::int AS dead,
         extract(epoch FROM now() - min(start_after) FILTER (WHERE name <> $1))::float8 AS seconds
       FROM pgboss.job WHERE state < 'active' AND (start_after <= now() OR name = $1) AND name NOT LIKE '\\_\\_pgboss%' GROUP BY 1`,
      [DEAD_LETTERS],
    )
    .catch(() => [])
