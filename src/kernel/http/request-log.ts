/** One line in the log for each request: what was asked, by whom, how it ended and what it cost. Nothing that a client sent is in it; of those that are refused, whence they came. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '../context.ts'
import type { DatabaseUse } from '../database/connect.ts'

/** What is known of a request while it is served. */
interface Noted {
  used?: DatabaseUse
  workspace?: number
  user?: number
}

/** A wrong password, a way that is closed to somebody, too many tries: whoever looks for an attack asks where it comes from. */
const REFUSED = new Set([401, 403, 429])

const noted = new WeakMap<FastifyRequest, Noted>()

/** Adds what the line of a request will say. */
export const note = (request: FastifyRequest, more: Noted) => noted.set(request, { ...noted.get(request), ...more })

/** Logs and counts each request once it is answered. */
export function logRequests(app: FastifyInstance, services: Services) {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown' // its pattern: a path may hold a secret
    services.metrics.observe(request.method, route, reply.statusCode, reply.elapsedTime)
    const { used, workspace, user } = noted.get(request) ?? {}
    request.log.info(
      {
        method: request.method,
        route,
        status: reply.statusCode,
        ms: tenths(reply.elapsedTime),
        workspace,
        user,
        ip: REFUSED.has(reply.statusCode) ? request.ip : undefined,
        ...(used ? { db_ms: tenths(used.ms), statements: used.statements } : {}),
      },
      'request',
    )
  })
}

const tenths = (ms: number) => Math.round(ms * 10) / 10
