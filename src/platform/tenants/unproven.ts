/**
 * Registered workspaces whose address isn't confirmed yet, and limits on their number. The registration's reply doesn't depend on
 * whose address it is.
 */
import { sql } from 'kysely'
import type { PublicCtx } from '#kernel/context.ts'
import { HttpError } from '#kernel/errors.ts'
import { networkAround } from '#kernel/networks.ts'
import { plusSeconds } from '#kernel/values/time.ts'

const HOUR = 3600
/** Time limit for confirming the address, in days. */
export const PROOF_DAYS = 7

/** Maximum number of all unconfirmed workspaces; each has some 50 rows. */
const MAX_UNPROVEN = 10_000
/** Maximum number from a provider's block: a /48 contains 256 networks, which could otherwise take all places. */
const MAX_OF_A_BLOCK = MAX_UNPROVEN / 10
/** Maximum number per hour from one network. */
const MAX_OF_A_NETWORK = 30
/** Maximum confirmation mails per hour to one address. */
const MAX_MAILS = 3

/** Serialises registrations until the commit, for the counts. */
export const lockRegistrations = (ctx: PublicCtx) => sql`select pg_advisory_xact_lock(hashtext('registrations'))`.execute(ctx.tx)

/**
 * Returns the network of a request: an IPv4 address, or the /56 of an IPv6 one, which one customer of a provider has. null if the
 * address is unknown.
 */
const networkOf = ({ ip }: PublicCtx['request']) => networkAround(ip, { four: 32, six: 56 }) ?? null

/** Returns the block around it: the /24 of an IPv4 address, the /48 of an IPv6 one. */
const blockOf = ({ ip }: PublicCtx['request']) => networkAround(ip, { four: 24, six: 48 }) ?? null

/**
 * Throws a 429 if the network has registered too many in the last hour or its block has a tenth of all places. Throws a 503 while
 * too many workspaces are unconfirmed.
 */
export async function refuseTooMany(ctx: PublicCtx) {
  const { rows } = await sql<{ waiting: number; near: number; inBlock: number }>`
    select (select count(*)::int from (select 1 from unproven_workspaces limit ${MAX_UNPROVEN}) as bounded) as waiting,
      (select count(*)::int from unproven_workspaces
       where network = ${networkOf(ctx.request)} and created_at > ${plusSeconds(ctx.now, -HOUR)}) as near,
      (select count(*)::int from unproven_workspaces where network::inet <<= ${blockOf(ctx.request)}::inet) as "inBlock"`.execute(
    ctx.tx,
  )
  const { waiting, near, inBlock } = rows[0]!
  const headers = { 'retry-after': String(HOUR) }
  if (near >= MAX_OF_A_NETWORK || inBlock >= MAX_OF_A_BLOCK)
    throw new HttpError(429, 'TOO_MANY_REQUESTS', 'Too many workspaces were registered from here. Try again in an hour.', {
      headers,
    })
  if (waiting >= MAX_UNPROVEN)
    throw new HttpError(503, 'REGISTRATION_BUSY', 'Too many new workspaces wait for their proof. Try again later.', { headers })
}

/** Records an unconfirmed workspace. Returns whether to send the confirmation mail: not if the address got several recently. */
export async function noteUnproven(ctx: PublicCtx, tenantId: number, email: string): Promise<boolean> {
  const { asked } = await ctx.tx
    .selectFrom('unproven_workspaces')
    .select((eb) => eb.fn.countAll<number>().as('asked'))
    .where('email', '=', email)
    .where('created_at', '>', plusSeconds(ctx.now, -HOUR))
    .executeTakeFirstOrThrow()
  await ctx.tx
    .insertInto('unproven_workspaces')
    .values({ tenant_id: tenantId, email, network: networkOf(ctx.request), created_at: ctx.now })
    .execute()
  return asked < MAX_MAILS
}
