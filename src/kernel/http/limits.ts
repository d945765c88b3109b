/**
 * Rate limits by name, counted in PostgreSQL so that they apply across processes, or in memory where they are checked too often.
 */
import QuickLRU from 'quick-lru'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Database } from '../database/connect.ts'
import { overWire } from '../database/failures.ts'
import { HttpError } from '../errors.ts'
import { sha256 } from '../secrets/secrets.ts'

/** A rate limit: `points` uses per `seconds`. */
export interface Limiter {
  /** Name in the contract: `billing-document-email`. */
  name: string
  points: number
  seconds: number
  /**
   * Counting key: the signed-in user, the client's address (for IPv6 its /64), or a field of the body (the address if it is
   * missing).
   */
  by: 'user' | 'ip' | { field: string }
  /** Counted per process, for limits that are checked too often to query the database each time. */
  inMemory?: true
}

export const limiter = (limit: Limiter) => limit

/** Six requests a minute per user, for changes of passwords and second factors. */
export const authSensitive = limiter({ name: 'auth-sensitive', points: 6, seconds: 60, by: 'user' })

export interface Limits {
  /** Counts one use. Returns the RateLimit-* headers, or throws 429 with Retry-After. */
  consume(limit: Limiter, key: string): Promise<Record<string, string>>
}

/** Returns the rate limits of a process. */
export function limitsIn(database: Database): Limits {
  const limiters = new Map<string, Pick<RateLimiterPostgres, 'consume'>>()
  // Unnamed statements: PgBouncer in transaction mode may not support named ones.
  const storeClient = { query: (q: { text: string; values: unknown[] }) => overWire(database.pool.query(q.text, q.values)) }
  const counterOf = (limit: Limiter) =>
    limit.inMemory
      ? inMemory(limit)
      : new RateLimiterPostgres({
          storeClient,
          storeType: 'pool',
          tableName: 'rate_limits',
          tableCreated: true,
          keyPrefix: limit.name,
          points: limit.points,
          duration: limit.seconds,
          clearExpiredByTimeout: false, // the daily sweep deletes expired rows
        })
  return {
    async consume(limit, key) {
      let counter = limiters.get(limit.name)
      if (!counter) limiters.set(limit.name, (counter = counterOf(limit)))
      try {
        return headers(limit, await counter.consume(limit.inMemory ? key : sha256(key).toString('base64url')))
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

/** Maximum number of keys counted in memory, some 20 MB; the least recently used key is dropped. */
const MAX_KEYS = 100_000

/** In-memory counter with a bounded number of keys. The library's own has a timer for each key and no bound. */
function inMemory({ points, seconds }: Limiter): Pick<RateLimiterPostgres, 'consume'> {
  const windows = new QuickLRU<string, { used: number; ends: number }>({ maxSize: MAX_KEYS })
  return {
    async consume(key) {
      const now = performance.now()
      let window = windows.get(key as string)
      if (!window || window.ends <= now) windows.set(key as string, (window = { used: 0, ends: now + seconds * 1000 }))
      window.used++
      const state = new RateLimiterRes(points - window.used, window.ends - now, window.used)
      if (window.used > points) throw state
      return state
    },
  }
}

const headers = (limit: Limiter, state: RateLimiterRes) => ({
  'ratelimit-limit': String(limit.points),
  'ratelimit-remaining': String(Math.max(0, state.remainingPoints)),
  'ratelimit-reset': String(Math.ceil(state.msBeforeNext / 1000)),
})
