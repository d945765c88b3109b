/**
 * The pace of mail: so many an hour to one recipient, by one sender and of one workspace. What is more waits in the queue; the record
 * that it is about is never refused.
 */
import type { Services } from '../context.ts'
import { sha256 } from '../secrets/secrets.ts'

const HOUR = 3_600_000
const HOURLY = { to: 30, by: 200, of: 1000 } as const

/** Longer than a day nobody waits for a mail. */
export const LONGEST_WAIT_SECONDS = 24 * 3600

/** Counts a mail and answers how many seconds it has to wait for its turn; 0: none. */
export async function paceOf(services: Services, mail: { to: string[]; by?: string; of: number }): Promise<number> {
  const counted = [
    ...new Set(mail.to.map((address) => `to ${address.toLowerCase()}`)),
    ...(mail.by ? [`by ${mail.by}`] : []),
    ...(mail.of ? [`of ${mail.of}`] : []),
  ]
  const waits = await Promise.all(counted.map((key) => waitFor(services, key, HOURLY[key.slice(0, 2) as keyof typeof HOURLY])))
  return Math.max(0, ...waits)
}

/**
 * The generic cell rate algorithm: `expire` is when the bucket will be empty again; it holds an hour's worth, and a day's worth waits. A
 * flood fills it no further.
 */
async function waitFor({ database, clock }: Services, key: string, hourly: number): Promise<number> {
  const now = Date.parse(clock.now())
  const step = HOUR / hourly
  const [row] = await database.statement<{ expire: number }>(
    `INSERT INTO rate_limits (key, points, expire) VALUES ($1, 0, $2::bigint + $3::bigint)
     ON CONFLICT (key) DO UPDATE SET expire = least(greatest(rate_limits.expire, $2::bigint) + $3::bigint, $4::bigint) RETURNING expire`,
    [`mail:${sha256(key).toString('base64url')}`, now, step, now + HOUR + LONGEST_WAIT_SECONDS * 1000 + step],
  )
  return Math.max(0, Math.ceil((row!.expire - HOUR - now) / 1000))
}
