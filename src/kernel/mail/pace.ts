/**
 * Rate limits of mail per hour: by workspace, from a workspace to a recipient, and by sender. Further mails wait in the queue;
 * the action that caused them never fails. One workspace's mails to a recipient don't delay another's. Mails of ten or more
 * workspaces together to one recipient are slowed down for a while. Each kind of account mail has limits of its own, so that no
 * flood, not even of address confirmations, delays a password reset.
 */
import type { Services } from '../context.ts'
import { sha256 } from '../secrets/secrets.ts'

const HOUR = 3_600_000
const HOURLY = { to: 30, by: 200, of: 1000 } as const
const HOURLY_OF_A_KIND = { ...HOURLY, to: 10 } as const
/** Hourly limit to one recipient, over all workspaces. */
const HOURLY_OF_ALL = 300

/** Maximum delay of a mail, in seconds. */
export const LONGEST_WAIT_SECONDS = 24 * 3600
/** Maximum delay caused by other workspaces' mails to the same recipient, in seconds. */
const LONGEST_SLOWED_SECONDS = 4 * 3600

/** Returns whether a type of mail concerns an account: sign-in links, and notices about them. */
export const isAccountMail = (type: string) => type.startsWith('auth.')

interface Paced {
  type: string
  to: string[]
}

/** Counts a mail and returns its delay in seconds, or 0. A mail that would wait longer than a day isn't counted: undefined. */
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
 * Counts a mail in the limit of all workspaces' mails to its recipients, after its own limits. Returns the delay in seconds: a
 * few hours at most, and 0 for account mails.
 */
export async function slowedBy(services: Services, { type, to }: Paced): Promise<number> {
  if (isAccountMail(type)) return 0
  const turns = addresses(to).map((address): Turn => [`to ${address}`, HOURLY_OF_ALL])
  return (await waitFor(services, turns, LONGEST_SLOWED_SECONDS)) ?? LONGEST_SLOWED_SECONDS
}

const addresses = (to: string[]) => [...new Set(to.map((address) => address.toLowerCase()))]

/** Key that is counted, and its hourly limit. */
type Turn = [key: string, hourly: number]

/**
 * Generic cell rate algorithm. `expire` is when the bucket will be empty again. A bucket holds an hour's worth, plus as much as
 * may wait within the longest delay; a flood fills it no further. All keys are counted in one statement in a fixed order, so that
 * two mails never deadlock. If one bucket is full, all counts are undone in the same order.
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
