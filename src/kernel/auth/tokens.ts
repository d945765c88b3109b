/** Bearer tokens `<id>|<secret>` and one-time tokens for mailed links. Only hashes are stored. */
import type { BaseCtx } from '../context.ts'
import { randomSecret, sha256 } from '../secrets/secrets.ts'
import { plusSeconds } from '../values/time.ts'

export interface IssuedToken {
  id: number
  token: string
  expires_at: string
}

/** Issues a bearer token. `tenant_id` null means a platform user's. */
export async function issueToken(
  ctx: BaseCtx,
  owner: { tenant_id: number | null; user_id: number },
  name: string,
  seconds: number,
): Promise<IssuedToken> {
  const secret = randomSecret()
  const expires_at = plusSeconds(ctx.now, seconds)
  const { id } = await ctx.tx
    .insertInto('access_tokens')
    .values({
      ...owner,
      name,
      secret_hash: sha256(secret),
      ip: ctx.request.ip,
      user_agent: ctx.request.userAgent.slice(0, 500),
      created_at: ctx.now,
      last_used_at: ctx.now,
      expires_at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, token: `${id}|${secret}`, expires_at }
}

/** Ends tokens of a user: all of them, one, or all but one. Returns how many. */
export async function revokeTokens(
  ctx: BaseCtx,
  owner: { tenant_id: number | null; user_id: number },
  which: { only?: number; except?: number } = {},
) {
  let query = ctx.tx
    .deleteFrom('access_tokens')
    .where('tenant_id', owner.tenant_id === null ? 'is' : '=', owner.tenant_id)
    .where('user_id', '=', owner.user_id)
  if (which.only !== undefined) query = query.where('id', '=', which.only)
  if (which.except !== undefined) query = query.where('id', '!=', which.except)
  return Number((await query.executeTakeFirst()).numDeletedRows)
}

export type Purpose = 'verify-email' | 'reset-password' | 'invitation' | 'set-up'

/** A secret for a mailed link. Earlier ones for the same purpose stop working. */
export async function issueOneTimeToken(
  ctx: BaseCtx,
  owner: { tenant_id: number | null; user_id: number },
  purpose: Purpose,
  seconds: number,
) {
  const secret = randomSecret()
  await ctx.tx
    .deleteFrom('one_time_tokens')
    .where('tenant_id', owner.tenant_id === null ? 'is' : '=', owner.tenant_id)
    .where('user_id', '=', owner.user_id)
    .where('purpose', '=', purpose)
    .execute()
  await ctx.tx
    .insertInto('one_time_tokens')
    .values({ ...owner, purpose, secret_hash: sha256(secret), created_at: ctx.now, expires_at: plusSeconds(ctx.now, seconds) })
    .execute()
  return secret
}

/** Uses up a one-time token; undefined when it is unknown, used or expired. */
export async function redeemOneTimeToken(ctx: BaseCtx, purposes: Purpose[], secret: string) {
  return ctx.tx
    .updateTable('one_time_tokens')
    .set({ used_at: ctx.now })
    .where('secret_hash', '=', sha256(secret))
    .where('purpose', 'in', purposes)
    .where('used_at', 'is', null)
    .where('expires_at', '>', ctx.now)
    .returning(['tenant_id', 'user_id', 'purpose'])
    .executeTakeFirst()
}
