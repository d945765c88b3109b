/** Prometheus metrics: requests by route, jobs, the connection pool, PDFs, the process. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Services } from '../context.ts'
import { forbidden } from '../errors.ts'
import { sameBytes } from '../secrets/secrets.ts'

export interface Metrics {
  registry: Registry
  observe(method: string, route: string, status: number, milliseconds: number): void
  serve(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}

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
  queue.metrics.register(registry, database)
  return {
    registry,
    observe: (method, route, status, ms) => requests.observe({ method, route, status: String(status) }, ms / 1000),
    async serve(request, reply) {
      if (!mayRead(request, config.METRICS_TOKEN)) throw forbidden('Metrics need METRICS_TOKEN, or a request from this machine.')
      return reply.header('content-type', registry.contentType).send(await registry.metrics())
    },
  }
}

const loopback = /^(127\.|::1$|::ffff:127\.)/

/** Judged by the socket: an address that a header tells is anybody's claim. What a proxy passes on isn't from this machine. */
const isLocal = ({ socket, headers }: FastifyRequest) =>
  loopback.test(socket.remoteAddress ?? '') && !headers['x-forwarded-for'] && !headers.forwarded

const mayRead = (request: FastifyRequest, token: string | undefined) =>
  token ? sameBytes(Buffer.from(request.headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)) : isLocal(request)
