/** Checks and redeems invitation links. */
import type { z } from 'zod'
import type { BaseCtx } from '#kernel/context.ts'
import { sha256 } from '#kernel/secrets/secrets.ts'
import { saveApplication } from './applications.ts'
import type { Invite } from './schema.ts'

const byToken = (ctx: BaseCtx, token: string) =>
  ctx.tx
    .selectFrom('beta_invites as i')
    .innerJoin('beta_applications as a', 'a.id', 'i.application_id')
    .where('i.token_hash', '=', sha256(token))

const working = (ctx: BaseCtx, token: string) =>
  byToken(ctx, token).where('i.expires_at', '>', ctx.now).where('a.status', '=', 'invited').select('a.id')

/** Returns what the holder of a link may see (CEN-58). Doesn't use the link up. */
export async function previewInvite(ctx: BaseCtx, token: string): Promise<z.input<typeof Invite>> {
  const found = await byToken(ctx, token)
    .select(['a.status', 'i.expires_at', 'a.email', 'a.name', 'a.company', 'a.message'])
    .executeTakeFirst()
  if (!found)
    return { ...{ valid: false, expired: false, activated: false }, email: null, name: null, company: null, message: null }
  const { status, expires_at, ...applicant } = found
  const over = Date.parse(expires_at) <= Date.parse(ctx.now)
  const open = status === 'invited'
  return { valid: open && !over, expired: open && over, activated: status === 'activated', ...applicant }
}

/** Returns whether a link permits a registration. */
export const admits = async (ctx: BaseCtx, token: string) => (await working(ctx, token).executeTakeFirst()) !== undefined

/**
 * Redeems an invitation and activates its application. Returns false if the link is invalid; of two concurrent calls, one
 * succeeds.
 */
export async function redeemInvite(ctx: BaseCtx, token: string): Promise<boolean> {
  const application = await working(ctx, token).forUpdate('a').executeTakeFirst()
  if (!application) return false
  await saveApplication(ctx, application.id, { status: 'activated', activated_at: ctx.now })
  return true
}
