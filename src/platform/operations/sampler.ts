/** Samples of each process's metrics, so that charts cover all processes and the time before they were opened. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Registry } from 'prom-client'
import type { Services } from '#kernel/context.ts'
import { plusSeconds } from '#kernel/values/time.ts'

/** Sample of a process. */
export interface Figures {
  /**
   * Increments since the previous sample: `requests`, rejected (`refused`, 4xx) and `failed` (5xx) ones, requests by maximum
   * duration in seconds (`le 0.1`, `le +Inf`), and job tries by result (`jobs failed`).
   */
  counts: Record<string, number>
  /** Current values: memory in bytes, event loop delay in seconds, connections of the pool. */
  state: { rss: number; lag: number; open: number; busy: number; waiting: number }
}

/** Retention time of samples. */
const KEPT_SECONDS = 6 * 3600

/** Returns a function that stores a sample and deletes those older than six hours. */
export function samplerOf({ database, metrics, clock }: Services): () => Promise<void> {
  const name = crypto.randomUUID()
  const delay = monitorEventLoopDelay() // a separate monitor: reading the registry's would reset its window
  delay.enable()
  let before: Figures['counts'] = {}
  return async () => {
    const counts = await countsIn(metrics.registry)
    const { waiting } = database
    const { totalCount: open, idleCount: idle } = database.pool
    const figures: Figures = {
      counts: Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, count - (before[key] ?? 0)])),
      state: { rss: process.memoryUsage().rss, lag: delay.percentile(99) / 1e9, open, busy: open - idle, waiting },
    }
    before = counts
    delay.reset()
    const now = clock.now()
    await database.statement(
      `WITH forgotten AS (DELETE FROM operations_samples WHERE taken_at < $4)
       INSERT INTO operations_samples (process, taken_at, figures) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [name, now, JSON.stringify(figures), plusSeconds(now, -KEPT_SECONDS)],
    )
  }
}

async function countsIn(registry: Registry) {
  const counts: Figures['counts'] = {}
  const add = (key: string, count: number) => (counts[key] = (counts[key] ?? 0) + count)
  for (const { metricName, labels, value } of await valuesOf(registry, 'http_request_duration_seconds')) {
    if (metricName?.endsWith('_bucket')) add(`le ${labels.le}`, value)
    if (!metricName?.endsWith('_count')) continue
    add('requests', value)
    if (Number(labels.status) >= 400) add(Number(labels.status) >= 500 ? 'failed' : 'refused', value)
  }
  for (const { metricName, labels, value } of await valuesOf(registry, 'job_duration_seconds'))
    if (metricName?.endsWith('_count')) add(`jobs ${labels.result}`, value)
  return counts
}

/** Returns a metric's values; empty if this process doesn't have it. */
export async function valuesOf(registry: Registry, name: string) {
  const { values = [] } = (await registry.getSingleMetric(name)?.get()) ?? {}
  return values as { metricName?: string; labels: Record<string, string | number>; value: number }[]
}
