/**
 * Acceptance links: 256 bits, of which only a hash is stored, valid for at most 30 days. They accept once, and afterwards show
 * what was signed.
 */
import type { Ctx, PublicCtx } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { sha256 } from '#kernel/secrets/secrets.ts'
import { findByLinkSecret, linkSecret } from '#kernel/tenancy/link-secrets.ts'
import { isOpen } from '#kernel/tenancy/session.ts'
import type { Acceptable, Offered } from './acceptable.ts'

const THIRTY_DAYS = 30 * 24 * 3600_000
/** Maximum outstanding links of one document: a further one ends the oldest. */
const MAX = 20

/** Timeline texts about acceptance. */
export const acceptanceSentences = {
  signature_requested: ({ expires_at }: { expires_at: string }) =>
    `Signature requested, by a link until ${expires_at.slice(0, 10)}`,
  signed: ({ signer_name, signer_email }: { signer_name: string; signer_email: string }) =>
    `Signed by ${signer_name} (${signer_email})`,
}

export interface Link {
  /** Secret in the address: for `secrets` of a mail. */
  token: string
  url: string
  expires_at: string
}

/** 422 on `status` of a document that can't be accepted by a link. */
export function refuseLink(ctx: Ctx, { of: { noun }, lastDay }: Acceptable, document: Offered) {
  if (document.status !== 'sent')
    throw invalid({ status: `This ${noun} is ${document.status}; only one that was sent can be accepted by a link.` })
  if (expiryOf(ctx, document[lastDay]) <= ctx.now) throw invalid({ status: `The last day of this ${noun} is over.` })
}

/** Issues another link to a sent document (ACC-04). 422 on `status` if it can't be accepted. */
export async function issueLink(ctx: Ctx, offered: Acceptable, document: Offered): Promise<Link> {
  refuseLink(ctx, offered, document)
  const { table } = offered.of
  const expires_at = expiryOf(ctx, document[offered.lastDay])
  const token = linkSecret(ctx)
  await ctx.tx
    .insertInto('acceptance_links')
    .values({
      tenant_id: ctx.tenant.id,
      subject_type: table,
      subject_id: document.id,
      token_hash: sha256(token),
      created_at: ctx.now,
      expires_at,
    })
    .execute()
  await endSurplus(ctx, table, document.id)
  await logActivity(ctx, { table, activityTemplates: acceptanceSentences }, document.id, 'signature_requested', { expires_at })
  return { token, url: `${ctx.services.config.BASE_URL}/accept/${offered.of.module}/${token}`, expires_at }
}

/** Returns when a link expires: in 30 days, or after the document's last day in the workspace's time zone. */
function expiryOf(ctx: Ctx, lastDay: string | null | undefined) {
  const latest = Date.parse(ctx.now) + THIRTY_DAYS
  const over = lastDay && Temporal.PlainDate.from(lastDay).add({ days: 1 }).toZonedDateTime(ctx.tenant.timezone)
  return new Date(over ? Math.min(latest, over.epochMilliseconds) : latest).toISOString()
}

async function endSurplus(ctx: Ctx, table: string, id: number) {
  const oldest = await ctx
    .from('acceptance_links')
    .select('id')
    .where('subject_type', '=', table)
    .where('subject_id', '=', id)
    .where('redeemed_at', 'is', null)
    .orderBy('id', 'desc')
    .offset(MAX - 1)
    .limit(1)
    .executeTakeFirst()
  if (oldest) await endLinks(ctx, table, id, oldest.id)
}

/** Ends the outstanding links of a document (ACC-09); with `before`, only older ones. */
export async function endLinks(ctx: Ctx, table: string, id: number, before?: number) {
  let query = linksOf(ctx, table, id).where('redeemed_at', 'is', null)
  if (before !== undefined) query = query.where('id', '<', before)
  await query.execute()
}

/** Deletes every link of a deleted document. */
export const forgetLinks = (ctx: Ctx, table: string, id: number) => linksOf(ctx, table, id).execute()

const linksOf = (ctx: Ctx, table: string, id: number) =>
  ctx.deleteFrom('acceptance_links').where('subject_type', '=', table).where('subject_id', '=', id)

/** One reply for tokens that are unknown, used up or expired, and for those of a closed workspace. */
export const invalidLink = () => notFound('This link is not valid. It was used already, or its time is over.')

/**
 * Returns the link of a token, outstanding or redeemed, in an open workspace; 404 otherwise. Runs before the workspace is known.
 */
export async function findLink(ctx: PublicCtx, table: string, token: string, state: 'outstanding' | 'redeemed') {
  const link = await findByLinkSecret(ctx, token, (within) =>
    ctx.tx
      .selectFrom('acceptance_links as l')
      .innerJoin('tenants as t', 't.id', 'l.tenant_id')
      .select(['l.tenant_id', 'l.id', 'l.subject_id', 'l.expires_at'])
      .where('l.token_hash', '=', sha256(token))
      .where(within('l'))
      .where('l.subject_type', '=', table)
      .where('l.expires_at', '>', ctx.now)
      .where('l.redeemed_at', state === 'redeemed' ? 'is not' : 'is', null)
      .where(isOpen('t'))
      .executeTakeFirst(),
  )
  if (!link) throw invalidLink()
  return link
}

/** Uses up a link; 404 if it was used or ended meanwhile. Its document is locked. */
export async function redeemLink(ctx: Ctx, id: number) {
  const { numUpdatedRows } = await ctx
    .update('acceptance_links')
    .set({ redeemed_at: ctx.now })
    .where('id', '=', id)
    .where('redeemed_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (!numUpdatedRows) throw invalidLink()
}
