/** A document that customers accept, on its way to them: sent, printed and mailed. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { customerPdf, type EmailDocument, emailOffer, refuseOver, refuseUnmailable } from '#workspace/billing-documents/public.ts'
import { type Acceptable, canonicalText, type Offered } from './acceptable.ts'
import { issueLink } from './links.ts'
import { paperOf } from './signatures.ts'

/**
 * The first acceptance link of a document that has just been sent (ACC-04, ACC-08); no mail leaves. 422 on the last day when that is over, on
 * `lines` when the document is too long to be accepted.
 */
export async function openToAcceptance(ctx: Ctx, offered: Acceptable, document: Offered) {
  refuseOver(ctx, document, offered.lastDay)
  await canonicalText(ctx, offered, document.id)
  await issueLink(ctx, offered, document)
}

/** Its PDF. A signed one prints what was signed. */
export async function acceptablePdf(ctx: Ctx, offered: Acceptable, { id, status }: Offered): Promise<PdfSpec> {
  const { document, signed } = await paperOf(ctx, offered, id)
  return customerPdf(ctx, document, status, signed)
}

/**
 * Queues a mail, by default to the contact, else to the company. As long as an answer is awaited it carries an acceptance link. 422 on `status`
 * in a state in which nothing is mailed.
 */
export async function emailAcceptable(
  ctx: Ctx,
  offered: Acceptable,
  mailable: string[],
  document: Offered,
  body: z.output<typeof EmailDocument>,
) {
  refuseUnmailable(offered.of.noun, document, mailable)
  const link = document.status === 'sent' ? await issueLink(ctx, offered, document) : undefined
  const paper = await paperOf(ctx, offered, document.id)
  return emailOffer(ctx, offered.of, document, { ...paper, link }, body)
}
