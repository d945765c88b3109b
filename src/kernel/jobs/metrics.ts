/** What an operator sees of the jobs in Prometheus. Tries are those of this process; what waits is the whole queue's. */
import { Gauge, Histogram, type Registry } from 'prom-client'
import type { Database } from '../database/connect.ts'

export type Result = 'completed' | 'ended' | 'retried' | 'failed'

export interface JobMetrics {
  observe(job: string, result: Result, milliseconds: number): void
  register(registry: Registry, database: Database): void
}

export function jobMetrics(): JobMetrics {
  const tries = new Histogram({
    name: 'job_duration_seconds',
    help: 'Time that a try of a job took, by its result; its count is the number of tries',
    labelNames: ['job', 'result'],
    buckets: [0.01, 0.1, 0.5, 1, 5, 30, 120, 600],
    registers: [],
  })
  return {
    observe: (job, result, milliseconds) => tries.observe({ job, result }, milliseconds / 1000),
    register(registry, database) {
      registry.registerMetric(tries)
      const oldest = new Gauge({
        name: 'jobs_oldest_waiting_seconds',
        help: 'How long the oldest job that could run has been waiting',
        labelNames: ['job'],
        registers: [],
      })
      const waiting = new Gauge({
        name: 'jobs_waiting',
        help: 'Jobs that could run and wait for a worker',
        labelNames: ['job'],
        registers: [],
        async collect() {
          const queues = await waitingJobs(database).catch(() => [])
          this.reset()
          oldest.reset()
          for (const { name, n, seconds } of queues) {
            this.set({ job: name }, n)
            oldest.set({ job: name }, seconds)
          }
        },
      })
      registry.registerMetric(waiting)
      registry.registerMetric(oldest) // after the one that fills both
    },
  }
}

const waitingJobs = (database: Database) =>
  database.statement<{ name: string; n: number; seconds: number }>(
    `SELECT name, count(*) AS n, extract(epoch FROM now() - min(start_after))::float8 AS seconds
     FROM pgboss.job WHERE state < 'active' AND start_after <= now() AND name NOT LIKE '\\_\\_pgboss%' GROUP BY name`,
    [],
  )
