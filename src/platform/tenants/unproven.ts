/**
 * Workspaces that were registered by somebody who has yet to prove the address, and how many there may be. Who registers hears the
 * same whosever the address is.
 */
import { sql } from 'kysely'
import type { PublicCtx } from '#kernel/context.ts'
import { HttpError } from '#kernel/errors.ts'
import { networkAround } from '#kernel/networks.ts'
import { plusSeconds } from '#kernel/values/time.ts'

const HOUR = 3600
/** Days in which the address is to be proven. */
export const PROOF_DAYS = 7

/** All at once; each is some 50 rows. */
const MAX_UNPROVEN = 10_000
/** At once from what a provider was given in one piece: somebody with a /48 has 256 networks, which would soon have all places. */
const MAX_OF_A_BLOCK = MAX_UNPROVEN / 10
/** In an hour from one network. */
const MAX_OF_A_NETWORK = 30
/** Mails in an hour that ask one address for its proof. */
const MAX_MAILS = 3

/** One registration after the other from here to the commit: what is counted is so. */
export const lockRegistrations = (ctx: PublicCtx) => sql`select pg_advisory_xact_lock(hashtext('registrations'))`.execute(ctx.tx)

/** An IPv4 address, or the /56 of an IPv6 one, which one customer of a provider has; null where no address is known. */
const networkOf = ({ ip }: PublicCtx['request']) => networkAround(ip, { four: 32, six: 56 }) ?? null

/** What it lies in: the /24 of an IPv4 address, the /48 of an IPv6 one. */
const blockOf = ({ ip }: PublicCtx['request']) => networkAround(ip, { four: 24, six: 48 }) ?? null

/** 429 for a network that has registered too many in this hour, or whose block has a tenth of all places, 503 while too many of all wait for their proof. */
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

/** Notes a workspace whose address is to be proven. Whether to ask for the proof by mail: not when its owner was asked a few times already. */
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
