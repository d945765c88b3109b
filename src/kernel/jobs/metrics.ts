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
      let asked: Promise<WaitingJob[]> | undefined
      const ask = () => (asked ??= waitingJobs(database).finally(() => (asked = undefined)))
      const gauge = (name: string, help: string, of: (one: WaitingJob) => number) =>
        new Gauge({
          name,
          help,
          labelNames: ['job'],
          registers: [registry],
          async collect() {
            const jobs = await ask()
            this.reset()
            for (const one of jobs) this.set({ job: one.name }, of(one))
          },
        })
      gauge('jobs_waiting', 'Jobs that could run and wait for a worker', ({ n }) => n)
      gauge('jobs_oldest_waiting_seconds', 'How long the oldest of them has been waiting', ({ seconds }) => seconds)
    },
  }
}

interface WaitingJob {
  name: string
  n: number
  seconds: number
}

/** None while the database can't be reached: the other metrics are wanted most then. */
const waitingJobs = (database: Database) =>
  database
    .statement<WaitingJob>(
      `SELECT name, count(*) AS n, extract(epoch FROM now() - min(start_after))::float8 AS seconds
       FROM pgboss.job WHERE state < 'active' AND start_after <= now() AND name NOT LIKE '\\_\\_pgboss%' GROUP BY name`,
      [],
    )
    .catch(() => [])
