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
  return waitFor(services, [
    ...recipients.map((address): Turn => [`${kind}to ${address}`, hourly.to]),
    ...(by ? [[`${kind}by ${by}`, hourly.by] satisfies Turn] : []),
    ...(of ? [[`${kind}of ${of}`, hourly.of] satisfies Turn] : []),
  ])
}

/** By whom or what it is counted, and how many an hour. */
type Turn = [key: string, hourly: number]

/**
 * The generic cell rate algorithm: `expire` is when the bucket will be empty again; it holds an hour's worth, and a day's worth waits. A
 * flood fills it no further. All are counted in one statement, in one order, so that two mails never wait for each other.
 */
async function waitFor({ database, clock }: Services, turns: Turn[]): Promise<number> {
  const now = Date.parse(clock.now())
  const rows = await database.statement<{ expire: number }>(
    `INSERT INTO rate_limits (key, points, expire)
     SELECT key, 0, $3::bigint + step FROM unnest($1::text[], $2::bigint[]) AS t (key, step) ORDER BY key
     ON CONFLICT (key) DO UPDATE SET expire = least(greatest(rate_limits.expire, $3::bigint) + excluded.expire - $3::bigint,
       $4::bigint + excluded.expire - $3::bigint) RETURNING expire`,
    [
      turns.map(([key]) => `mail:${sha256(key).toString('base64url')}`),
      turns.map(([, hourly]) => HOUR / hourly),
      now,
      now + HOUR + LONGEST_WAIT_SECONDS * 1000,
    ],
  )
  const waits = rows.map(({ expire }) => Math.ceil((expire - HOUR - now) / 1000))
  return Math.max(0, ...waits)
}
