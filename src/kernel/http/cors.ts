/** Browser apps of other origins (CORS): which may call the API. Only bearer tokens count there, so no origin ever gets cookies to send. */
import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { isLoopback } from '../values/loopback.ts'

/** Headers of replies that scripts may read beside those that browsers always show. */
const EXPOSED = [
  'Allow',
  'Content-Disposition',
  'Dry-Run',
  'ETag',
  'Idempotency-Replayed',
  'Location',
  'Preference-Applied',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Repr-Digest',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
]
/** As long as Chromium remembers the answer to a preflight, in seconds. */
const MAX_AGE = 7200

/** Answers preflights, and says of each reply who may read it: CORS_ORIGINS, or this machine's own where nobody else comes here. */
export function allowOrigins(app: FastifyInstance, { CORS_ORIGINS: named, BASE_URL }: Config) {
  const isLocal = isLoopback(BASE_URL)
  const isAllowed = (origin = '') => (named === undefined ? isLocal && isLoopback(origin) : named.includes(origin))
  return app.register(cors, {
    origin: named?.includes('*') ? '*' : (origin, answer) => answer(null, isAllowed(origin)),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE,
    strictPreflight: false,
  })
}
