/** Rate limits by name, counted in PostgreSQL so that they hold over several processes. */
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Database } from '../database/connect.ts'
import { HttpError } from '../errors.ts'
import { sha256 } from '../secrets/secrets.ts'

export interface Limiter {
  /** The contract's name: `billing-document-email`. */
  name: string
  points: number
  seconds: number
  /** What is counted: the signed-in user, the caller's address, or a field of the body (the address where it is missing). */
  by: 'user' | 'ip' | { field: string }
}

export const limiter = (limit: Limiter) => limit

/** Six a minute by user, for changes of password and of second factors. */
export const authSensitive = limiter({ name: 'auth-sensitive', points: 6, seconds: 60, by: 'user' })

export interface Limits {
  /** Counts one use; answers the RateLimit-* headers, or throws 429 with Retry-After. */
  consume(limit: Limiter, key: string): Promise<Record<string, string>>
}

export function limitsIn(database: Database): Limits {
  const limiters = new Map<string, RateLimiterPostgres>()
  // Unnamed statements: PgBouncer in transaction mode may not keep named ones.
  const storeClient = { query: (q: { text: string; values: unknown[] }) => database.pool.query(q.text, q.values) }
  return {
    async consume(limit, key) {
      let counter = limiters.get(limit.name)
      if (!counter) {
        counter = new RateLimiterPostgres({
          storeClient,
          storeType: 'pool',
          tableName: 'rate_limits',
          tableCreated: true,
          keyPrefix: limit.name,
          points: limit.points,
          duration: limit.seconds,
          clearExpiredByTimeout: false, // the daily sweep does that
        })
        limiters.set(limit.name, counter)
      }
      try {
        return headers(limit, await counter.consume(sha256(key).toString('base64url')))
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error
        const wait = String(Math.max(1, Math.ceil(error.msBeforeNext / 1000)))
        throw new HttpError(429, 'TOO_MANY_REQUESTS', `Too many requests. Try again in ${wait} seconds.`, {
          headers: { ...headers(limit, error), 'retry-after': wait },
        })
      }
    },
  }
}

const headers = (limit: Limiter, state: RateLimiterRes) => ({
  'ratelimit-limit': String(limit.points),
  'ratelimit-remaining': String(Math.max(0, state.remainingPoints)),
  'ratelimit-reset': String(Math.ceil(state.msBeforeNext / 1000)),
})
