/** Data of the metrics dashboard: time series of all processes, and current values. */
import type { Services } from '#kernel/context.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { type Figures, valuesOf } from './sampler.ts'

/** Selectable time spans in minutes, each with the length of one point in seconds. */
export const spans = { 15: 10, 60: 30, 360: 180 } as const
export type Span = keyof typeof spans

interface Sample {
  process: string
  taken_at: string
  figures: Figures
}

type Point = Record<string, number>

/** Returns points in order with their figures; null where no process has a sample. */
export async function charts(services: Services, minutes: Span) {
  const step = spans[minutes]
  const now = services.clock.now()
  const end = Math.floor(Date.parse(now) / 1000 / step) * step
  const from = end - minutes * 60
  const samples = await services.database.statement<Sample>(
    'SELECT process, taken_at, figures FROM operations_samples WHERE taken_at >= $1 AND taken_at < $2 ORDER BY taken_at',
    [new Date(from * 1000).toISOString(), new Date(end * 1000).toISOString()],
  )
  const slots = Map.groupBy(samples, ({ taken_at }) => Math.floor((Date.parse(taken_at) / 1000 - from) / step))
  const points = Array.from({ length: (end - from) / step }, (_, n) => pointOf(slots.get(n), step))
  return {
    from: new Date(from * 1000).toISOString(),
    step,
    points,
    now: await standing(services, now),
    routes: await busiest(services),
  }
}

/** Computes a point: rates per second (jobs per minute), times in milliseconds, memory in megabytes. */
function pointOf(samples: Sample[] | undefined, step: number): Point | null {
  if (!samples) return null
  const counts: Record<string, number> = {}
  for (const { figures } of samples)
    for (const [key, count] of Object.entries(figures.counts)) counts[key] = (counts[key] ?? 0) + count
  const states = [...new Map(samples.map(({ process, figures }) => [process, figures.state])).values()] // the latest of each
  const sum = (of: keyof Figures['state']) => states.reduce((total, state) => total + state[of], 0)
  const perSecond = (key: string) => (counts[key] ?? 0) / step
  return {
    requests: perSecond('requests'),
    refused: perSecond('refused'),
    failed: perSecond('failed'),
    p50: percentile(counts, 0.5) * 1000,
    p95: percentile(counts, 0.95) * 1000,
    p99: percentile(counts, 0.99) * 1000,
    completed: 60 * (perSecond('jobs completed') + perSecond('jobs ended')),
    retried: 60 * perSecond('jobs retried'),
    given_up: 60 * perSecond('jobs failed'),
    open: sum('open'),
    busy: sum('busy'),
    queued: sum('waiting'),
    memory: sum('rss') / 2 ** 20,
    lag: Math.max(...states.map(({ lag }) => lag)) * 1000,
  }
}

/** Returns a percentile of request times in seconds, interpolated within its bucket; at most the last bound. */
export function percentile(counts: Record<string, number>, share: number): number {
  const wanted = share * (counts['le +Inf'] ?? 0)
  const bounds = Object.keys(counts).flatMap((key) => (/^le \d/.test(key) ? Number(key.slice(3)) : []))
  let [below, upTo] = [0, 0]
  if (!wanted) return 0
  for (const bound of bounds.toSorted((a, b) => a - b)) {
    const within = counts[`le ${bound}`]!
    if (within >= wanted) return upTo + ((bound - upTo) * (wanted - below)) / (within - below)
    below = within
    upTo = bound
  }
  return upTo
}

/** Returns the current state of the database and the queue. */
async function standing({ database }: Services, now: string) {
  const [row] = await database.statement<Record<string, number>>(
    `SELECT s.numbackends AS connections, s.deadlocks, pg_database_size(s.datid)::float8 / 2 ^ 20 AS megabytes,
       round(100.0 * s.blks_hit / greatest(s.blks_hit + s.blks_read, 1), 1)::float8 AS cache_hits,
       (SELECT coalesce(extract(epoch FROM max(clock_timestamp() - xact_start)), 0)::float8
        FROM pg_stat_activity a WHERE a.datid = s.datid AND a.pid <> pg_backend_pid()) AS longest_transaction,
       (SELECT count(*)::int FROM pgboss.job WHERE state < 'active' AND start_after <= now() AND name <> 'dead-letters') AS waiting_jobs,
       (SELECT count(*)::int FROM pgboss.job WHERE name = 'dead-letters') AS dead_letters,
       (SELECT count(DISTINCT process)::int FROM operations_samples WHERE taken_at > $1) AS processes
     FROM pg_stat_database s WHERE s.datname = current_database()`,
    [plusSeconds(now, -60)],
  )
  return row!
}

const MAX_ROUTES = 15

/** Returns the routes on which the responding process has spent most time since its start. */
async function busiest({ metrics }: Services) {
  const routes = new Map<string, { route: string; requests: number; failed: number; seconds: number }>()
  for (const { metricName, labels, value } of await valuesOf(metrics.registry, 'http_request_duration_seconds')) {
    const route = `${labels.method} ${labels.route}`
    const one = routes.getOrInsertComputed(route, () => ({ route, requests: 0, failed: 0, seconds: 0 }))
    if (metricName?.endsWith('_sum')) one.seconds += value
    if (!metricName?.endsWith('_count')) continue
    one.requests += value
    if (Number(labels.status) >= 500) one.failed += value
  }
  return [...routes.values()].toSorted((a, b) => b.seconds - a.seconds).slice(0, MAX_ROUTES)
}
