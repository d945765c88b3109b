/**
 * The pace of mail: so many an hour of one workspace, from it to one recipient, and by one sender. What is more waits in the queue; the record
 * that it is about is never refused. What one workspace writes to somebody holds up nothing that another writes to them; what ten and more write to them in an
 * hour comes slower, for a while. Each kind of account mail has a pace of its own: no flood, not even one of proofs of an address, holds back a
 * link for a new password.
 */
import type { Services } from '../context.ts'
import { sha256 } from '../secrets/secrets.ts'

const HOUR = 3_600_000
const HOURLY = { to: 30, by: 200, of: 1000 } as const
const HOURLY_OF_A_KIND = { ...HOURLY, to: 10 } as const
/** To one recipient, of all workspaces. */
const HOURLY_OF_ALL = 300

/** Longer than a day nobody waits for a mail. */
export const LONGEST_WAIT_SECONDS = 24 * 3600
/** Nor longer than this for what other workspaces write to the same recipient. */
const LONGEST_SLOWED_SECONDS = 4 * 3600

/** Whether a type of mail is about an account: links, and notices of its ways in. */
export const isAccountMail = (type: string) => type.startsWith('auth.')

interface Paced {
  type: string
  to: string[]
}

/** Counts a mail and answers how many seconds it has to wait for its turn; 0: none. One that would wait for longer than a day is not counted: undefined. */
export async function paceOf(
  services: Services,
  { type, to, by, of }: Paced & { by?: string; of: number },
): Promise<number | undefined> {
  const [kind, hourly] = isAccountMail(type) ? [`${type} `, HOURLY_OF_A_KIND] : ['', HOURLY]
  const turns: Turn[] = [
    ...addresses(to).map((address): Turn => [`${kind}to ${address} of ${of}`, hourly.to]),
    ...(by ? [[`${kind}by ${by}`, hourly.by] satisfies Turn] : []),
    ...(of ? [[`${kind}of ${of}`, hourly.of] satisfies Turn] : []),
  ]
  return waitFor(services, turns, LONGEST_WAIT_SECONDS)
}

/**
 * Counts a mail whose turn has come among those of all workspaces to its recipients, and answers how many seconds it waits for these: a few hours at most, and
 * mails of accounts never.
 */
export async function slowedBy(services: Services, { type, to }: Paced): Promise<number> {
  if (isAccountMail(type)) return 0
  const turns = addresses(to).map((address): Turn => [`to ${address}`, HOURLY_OF_ALL])
  return (await waitFor(services, turns, LONGEST_SLOWED_SECONDS)) ?? LONGEST_SLOWED_SECONDS
}

const addresses = (to: string[]) => [...new Set(to.map((address) => address.toLowerCase()))]

/** By whom or what it is counted, and how many an hour. */
type Turn = [key: string, hourly: number]

/**
 * The generic cell rate algorithm: `expire` is when the bucket will be empty again; it holds an hour's worth, and as much waits as has its turn within the
 * longest wait. A flood fills it no further. All are counted in one statement, in one order, so that two mails never wait for each other; they are given
 * back, in that order, where one bucket is full.
 */
async function waitFor({ database, clock }: Services, turns: Turn[], longest: number): Promise<number | undefined> {
  const now = Date.parse(clock.now())
  const keys = turns.map(([key]) => `mail:${sha256(key).toString('base64url')}`)
  const steps = turns.map(([, hourly]) => HOUR / hourly)
  const rows = await database.statement<{ expire: number }>(
    `INSERT INTO rate_limits (key, points, expire)
     SELECT key, 0, $3::bigint + step FROM unnest($1::text[], $2::bigint[]) AS t (key, step) ORDER BY key
     ON CONFLICT (key) DO UPDATE SET expire = least(greatest(rate_limits.expire, $3::bigint) + excluded.expire - $3::bigint,
       $4::bigint + excluded.expire - $3::bigint) RETURNING expire`,
    [keys, steps, now, now + HOUR + longest * 1000],
  )
  const waits = rows.map(({ expire }) => Math.ceil((expire - HOUR - now) / 1000))
  const wait = Math.max(0, ...waits)
  if (wait <= longest) return wait
  await database.statement(
    `UPDATE rate_limits r SET expire = r.expire - counted.step
     FROM (
       SELECT key, step FROM rate_limits JOIN unnest($1::text[], $2::bigint[]) AS t (key, step) USING (key)
       ORDER BY key FOR UPDATE OF rate_limits
     ) counted
     WHERE r.key = counted.key`,
    [keys, steps],
  )
  return undefined
}
