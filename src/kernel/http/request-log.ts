/**
 * Logs one line per request: route, caller, status and cost. It contains no client input; for rejected requests it has the
 * client's address.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '../context.ts'
import type { DatabaseUse } from '../database/connect.ts'

/** Facts about a request, collected while it is served. */
interface Noted {
  used?: DatabaseUse
  workspace?: number
  user?: number
}

/** Statuses of rejected requests (wrong password, missing access, rate limit): their addresses help to investigate attacks. */
const REFUSED = new Set([401, 403, 429])

const noted = new WeakMap<FastifyRequest, Noted>()

/** Adds facts to a request's log line. */
export const note = (request: FastifyRequest, more: Noted) => noted.set(request, { ...noted.get(request), ...more })

/** Logs and counts each request after its reply. */
export function logRequests(app: FastifyInstance, services: Services) {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown' // the pattern, because a path may contain a secret
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
