/** Prometheus metrics: requests by route, jobs, the connection pool, PDFs, the process. */
import { readFileSync } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from '../config.ts'
import type { Services } from '../context.ts'
import { forbidden } from '../errors.ts'
import { sameBytes } from '../secrets/secrets.ts'
import { isLoopback } from '../values/loopback.ts'
import { figuresOf } from './figures.ts'

declare module '../context.ts' {
  interface Services {
    metrics: Metrics
  }
}

export interface Metrics {
  registry: Registry
  observe(method: string, route: string, status: number, milliseconds: number): void
  serve(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}

/** Returns the metrics of this process, and the handler of `/metrics`. */
export function metricsOf({
  config,
  database,
  queue,
  pdf,
  isolation,
}: Pick<Services, 'config' | 'database' | 'queue' | 'pdf' | 'isolation'>): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const metric of [...pdf.metrics, ...isolation.metrics]) registry.registerMetric(metric)
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from request to reply',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  })
  new Gauge({
    name: 'database_connections',
    help: 'Connections of the pool by state',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'open' }, database.pool.totalCount)
      this.set({ state: 'idle' }, database.pool.idleCount)
      this.set({ state: 'waiting' }, database.waiting)
    },
  })
  new Gauge({
    name: 'atrium_build_info',
    help: 'Always 1; the labels say what runs',
    labelNames: ['version', 'node_version'],
    registers: [registry],
    aggregator: 'max',
  }).set({ version: versionOf(new URL('../../../package.json', import.meta.url)), node_version: process.version }, 1)
  queue.metrics.register(registry, database)
  const figures = figuresOf(registry)
  return {
    registry,
    observe: (method, route, status, ms) => requests.observe({ method, route, status: String(status) }, ms / 1000),
    async serve(request, reply) {
      if (!mayRead(request, config))
        throw forbidden(
          'Metrics need METRICS_TOKEN. Without one, only a request from this machine may read them, and only where BASE_URL is of this machine.',
        )
      return reply.header('content-type', registry.contentType).send(await figures())
    },
  }
}

const versionOf = (manifest: URL): string => JSON.parse(readFileSync(manifest, 'utf8')).version

const LOOPBACK_ADDRESS = /^(127\.|::1$|::ffff:127\.)/

/** Headers that proxies may add; none is mandatory. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

/**
 * Returns whether a request comes from this machine. Uses the socket's address, because headers can be forged. A proxy on this
 * machine also connects from it and may add no header. So with a public BASE_URL, which implies a proxy, no request counts as
 * local. The check of the Host header blocks DNS rebinding by a page in a local browser.
 */
const isLocal = ({ socket, headers }: FastifyRequest, baseUrl: string) =>
  isLoopback(baseUrl) &&
  LOOPBACK_ADDRESS.test(socket.remoteAddress ?? '') &&
  isLoopback(`http://${headers.host}`) &&
  !FORWARDED.some((name) => headers[name] !== undefined)

const mayRead = (request: FastifyRequest, { METRICS_TOKEN: token, BASE_URL }: Pick<Config, 'METRICS_TOKEN' | 'BASE_URL'>) =>
  token ? sameBytes(Buffer.from(request.headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)) : isLocal(request, BASE_URL)
