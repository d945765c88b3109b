/** CORS: the origins whose browser apps may call the API. The API accepts only bearer tokens, so no origin may send cookies. */
import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { isLoopback } from '../values/loopback.ts'

/** Response headers readable by scripts, in addition to those that browsers always expose. */
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
/** Cache time of preflight replies in seconds: Chromium's maximum. */
const MAX_AGE = 7200

/**
 * Answers preflights and sets the CORS headers of each reply. Allows CORS_ORIGINS, or loopback origins if the service itself runs
 * on loopback.
 */
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
