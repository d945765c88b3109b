/**
 * The pace of mail: so many an hour to one recipient, by one sender and of one workspace. What is more waits in the queue; the record
 * that it is about is never refused. Each kind of account mail has a pace of its own: no flood, not even one of proofs of an address,
 * holds back a link for a new password.
 */
import type { Services } from '../context.ts'
import { sha256 } from '../secrets/secrets.ts'

const HOUR = 3_600_000
const HOURLY = { to: 30, by: 200, of: 1000 } as const
const HOURLY_OF_A_KIND = { ...HOURLY, to: 10 } as const

/** Longer than a day nobody waits for a mail. */
export const LONGEST_WAIT_SECONDS = 24 * 3600

/** Whether a type of mail is about an account: links, and notices of its ways in. */
export const isAccountMail = (type: string) => type.startsWith('auth.')

interface Paced {
  type: string
  to: string[]
  by?: string
  of: number
}

/** Counts a mail and answers how many seconds it has to wait for its turn; 0: none. */
export async function paceOf(services: Services, { type, to, by, of }: Paced): Promise<number> {
  const [kind, hourly] = isAccountMail(type) ? [`${type} `, HOURLY_OF_A_KIND] : ['', HOURLY]
  const recipients = [...new Set(to.map((address) => address.toLowerCase()))]
  const waits = await Promise.all([
    ...recipients.map((address) => waitFor(services, `${kind}to ${address}`, hourly.to)),
    ...(by ? [waitFor(services, `${kind}by ${by}`, hourly.by)] : []),
    ...(of ? [waitFor(services, `${kind}of ${of}`, hourly.of)] : []),
  ])
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
