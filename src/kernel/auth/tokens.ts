/** Bearer tokens `<id>|<secret>`, and one-time tokens for mailed links and sign-in steps. Only hashes are stored. */
import { sql } from 'kysely'
import type { Actor, BaseCtx } from '../context.ts'
import { randomSecret, sha256 } from '../secrets/secrets.ts'
import { plusSeconds } from '../values/time.ts'
import { type Account, ownedBy } from './accounts.ts'

/** A new bearer token; the token itself isn't stored. */
export interface IssuedToken {
  id: number
  token: string
  expires_at: string
}

/** Issues a bearer token. With an impersonator, that account uses it to act as the owner. */
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

/**
 * Ends tokens of a user: one, or all except one, including those with which the user impersonates others. Returns their number.
 */
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

/** Purposes of one-time tokens, with their payloads. Modules add theirs by declaration merging. */
export interface TokenPurposes {
  /** Verifies the account's address, or makes a pending address the account's. */
  'verify-email': { email: string }
  /** Restores the account's former address. */
  'cancel-email-change': { email: string }
  'reset-password': { email: string }
  invitation: { email: string }
  /** For the first administrator, printed at startup. */
  'set-up': { email: string }
}
export type Purpose = keyof TokenPurposes & string
/** Purposes of links that set a password. */
export type PasswordPurpose = 'reset-password' | 'invitation' | 'set-up'

/** A one-time token with its payload. */
export interface Redeemed<P extends Purpose> extends Account {
  purpose: P
  payload: TokenPurposes[P]
  created_at: string
}

/** Creates a one-time token and returns its secret. Earlier ones with the same purpose become invalid, unless `kept` is true. */
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

/** Returns a one-time token without using it up; undefined if it is unknown, used or expired. */
export const readOneTimeToken = async <P extends Purpose>(ctx: BaseCtx, purposes: readonly P[], secret: string) =>
  (await live(ctx, purposes, secret).executeTakeFirst()) as Redeemed<P> | undefined

/** Returns a one-time token, locked, so that concurrent requests use it only once. */
export const lockOneTimeToken = async <P extends Purpose>(ctx: BaseCtx, purposes: readonly P[], secret: string) =>
  (await live(ctx, purposes, secret).forUpdate().executeTakeFirst()) as Redeemed<P> | undefined

/** Marks a locked one-time token as used. */
export async function useUpOneTimeToken(ctx: BaseCtx, secret: string) {
  await ctx.tx.updateTable('one_time_tokens').set({ used_at: ctx.now }).where('secret_hash', '=', sha256(secret)).execute()
}

/** Changes the payload of a one-time token. */
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

/** Uses up a one-time token and returns it; undefined if it is unknown, used or expired. */
export async function redeemOneTimeToken<P extends Purpose>(ctx: BaseCtx, purposes: readonly P[], secret: string) {
  const found = await lockOneTimeToken(ctx, purposes, secret)
  if (found) await useUpOneTimeToken(ctx, secret)
  return found
}

/** Returns the number of an account's valid tokens for a purpose. */
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

/** Deletes the account's one-time tokens: all, those with certain purposes, or those issued after an instant. */
export async function endOneTimeTokens(ctx: BaseCtx, owner: Account, purposes?: readonly Purpose[], after?: string) {
  let query = ctx.tx.deleteFrom('one_time_tokens').where(ownedBy(owner))
  if (purposes) query = query.where('purpose', 'in', purposes)
  if (after) query = query.where('created_at', '>', after)
  await query.execute()
}
