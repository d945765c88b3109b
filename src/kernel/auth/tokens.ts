/** Bearer tokens `<id>|<secret>` and one-time tokens, for mailed links and steps of signing in. Only hashes are stored. */
import { sql } from 'kysely'
import type { Actor, BaseCtx } from '../context.ts'
import { randomSecret, sha256 } from '../secrets/secrets.ts'
import { plusSeconds } from '../values/time.ts'
import { type Account, ownedBy } from './accounts.ts'

export interface IssuedToken {
  id: number
  token: string
  expires_at: string
}

/** Issues a bearer token. With an impersonator it is somebody else's who works as the owner. */
export async function issueToken(
  ctx: BaseCtx,
  owner: Account,
  name: string,
  seconds: number,
  impersonator?: Pick<NonNullable<Actor['impersonator']>, 'type' | 'id'>,
): Promise<IssuedToken> {
  const secret = randomSecret()
  const expires_at = plusSeconds(ctx.now, seconds)
  const { id } = await ctx.tx
    .insertInto('access_tokens')
    .values({
      tenant_id: owner.tenant_id,
      user_id: owner.user_id,
      name,
      secret_hash: sha256(secret),
      ip: ctx.request.ip,
      user_agent: ctx.request.userAgent.slice(0, 500),
      impersonator_id: impersonator?.id ?? null,
      impersonator_type: impersonator?.type ?? null,
      created_at: ctx.now,
      last_used_at: ctx.now,
      expires_at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, token: `${id}|${secret}`, expires_at }
}

/** Ends tokens of a user: one, or all (but one), those with which the user works as others included. Returns how many. */
export async function revokeTokens(ctx: BaseCtx, owner: Account, which: { only?: number; except?: number } = {}) {
  const held = which.only === undefined ? sql<boolean>`(${ownedBy(owner)} or ${impersonatedBy(owner)})` : ownedBy(owner)
  let query = ctx.tx.deleteFrom('access_tokens').where(held)
  if (which.only !== undefined) query = query.where('id', '=', which.only)
  if (which.except !== undefined) query = query.where('id', '!=', which.except)
  return Number((await query.executeTakeFirst()).numDeletedRows)
}

const impersonatedBy = ({ tenant_id, user_id }: Account) =>
  tenant_id === null
    ? sql`(impersonator_type = 'platform_user' and impersonator_id = ${user_id})`
    : sql`(tenant_id = ${tenant_id} and impersonator_type = 'user' and impersonator_id = ${user_id})`

/** What one-time tokens are for, and what each carries. Modules add theirs by declaration merging. */
export interface TokenPurposes {
  /** Proves that an address is the account's; one that was asked for becomes the account's by it. */
  'verify-email': { email: string }
  /** Gives an account its former address back. */
  'cancel-email-change': { email: string }
  'reset-password': { email: string }
  invitation: { email: string }
  /** Of the first administrator, printed at the start. */
  'set-up': { email: string }
}
export type Purpose = keyof TokenPurposes & string
/** Links that set a password. */
export type PasswordPurpose = 'reset-password' | 'invitation' | 'set-up'

/** A one-time token that was used up. */
export interface Redeemed<P extends Purpose> extends Account {
  purpose: P
  payload: TokenPurposes[P]
  created_at: string
}

/** The secret of a one-time token. Earlier ones for the same purpose stop working, unless they are `kept`. */
export async function issueOneTimeToken<P extends Purpose>(
  ctx: BaseCtx,
  owner: Account,
  purpose: P,
  payload: TokenPurposes[P],
  { seconds, kept = false }: { seconds: number; kept?: boolean },
): Promise<string> {
  const secret = randomSecret()
  if (!kept) await endOneTimeTokens(ctx, owner, [purpose])
  await ctx.tx
    .insertInto('one_time_tokens')
    .values({
      tenant_id: owner.tenant_id,
      user_id: owner.user_id,
      purpose,
      payload: JSON.stringify(payload),
      secret_hash: sha256(secret),
      created_at: ctx.now,
      expires_at: plusSeconds(ctx.now, seconds),
    })
    .execute()
  return secret
}

const live = (ctx: BaseCtx, purposes: readonly Purpose[], secret: string) =>
  ctx.tx
    .selectFrom('one_time_tokens')
    .select(['tenant_id', 'user_id', 'purpose', 'payload', 'created_at'])
    .where('secret_hash', '=', sha256(secret))
    .where('purpose', 'in', purposes)
    .where('used_at', 'is', null)
    .where('expires_at', '>', ctx.now)

/** What a one-time token stands for, without using it up; undefined when it is unknown, used or expired. */
export const readOneTimeToken = async <P extends Purpose>(ctx: BaseCtx, purposes: readonly P[], secret: string) =>
  (await live(ctx, purposes, secret).executeTakeFirst()) as Redeemed<P> | undefined

/** What a one-time token stands for, locked: what follows is done once, however many bring it at once. */
export const lockOneTimeToken = async <P extends Purpose>(ctx: BaseCtx, purposes: readonly P[], secret: string) =>
  (await live(ctx, purposes, secret).forUpdate().executeTakeFirst()) as Redeemed<P> | undefined

/** Ends a one-time token that was locked: it stands for nothing any more. */
export async function useUpOneTimeToken(ctx: BaseCtx, secret: string) {
  await ctx.tx.updateTable('one_time_tokens').set({ used_at: ctx.now }).where('secret_hash', '=', sha256(secret)).execute()
}

/** Changes what a one-time token carries. */
export async function rewriteOneTimeToken<P extends Purpose>(
  ctx: BaseCtx,
  purpose: P,
  secret: string,
  payload: TokenPurposes[P],
) {
  await ctx.tx
    .updateTable('one_time_tokens')
    .set({ payload: JSON.stringify(payload) })
    .where('secret_hash', '=', sha256(secret))
    .where('purpose', '=', purpose)
    .execute()
}

/** Uses up a one-time token; undefined when it is unknown, used or expired. */
export async function redeemOneTimeToken<P extends Purpose>(ctx: BaseCtx, purposes: readonly P[], secret: string) {
  const found = await lockOneTimeToken(ctx, purposes, secret)
  if (found) await useUpOneTimeToken(ctx, secret)
  return found
}

/** How many links for a purpose an account could still use. */
export async function liveOneTimeTokens(ctx: BaseCtx, owner: Account, purpose: Purpose): Promise<number> {
  const { live } = await ctx.tx
    .selectFrom('one_time_tokens')
    .select((eb) => eb.fn.countAll<number>().as('live'))
    .where(ownedBy(owner))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', ctx.now)
    .executeTakeFirstOrThrow()
  return live
}

/** Ends the account's links: all of them, those for some purposes, those that were issued after an instant. */
export async function endOneTimeTokens(ctx: BaseCtx, owner: Account, purposes?: readonly Purpose[], after?: string) {
  let query = ctx.tx.deleteFrom('one_time_tokens').where(ownedBy(owner))
  if (purposes) query = query.where('purpose', 'in', purposes)
  if (after) query = query.where('created_at', '>', after)
  await query.execute()
}
