/** Sending a quotation: from then on it stays what it is, and the customer can accept it. It is printed and mailed. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { emit } from '#kernel/modules/events.ts'
import { canonicalText, issueLink, paperOf } from '#workspace/acceptance/public.ts'
import { customerPdf, type EmailDocument, emailOffer } from '#workspace/billing-documents/public.ts'
import { acceptableQuotation } from './answering.ts'
import { lifecycle } from './lifecycle.ts'
import { type QuotationRow, quotations } from './quotations.ts'

/** draft → sent, with an acceptance link (ACC-08). Sends no mail. 422 on `valid_until` when that is over. */
export async function send(ctx: Ctx, quotation: QuotationRow) {
  const today = ctx.today()
  const sent = await lifecycle.move(ctx, quotations, quotation, 'send', { issued_on: today })
  if (sent.valid_until && sent.valid_until < today) throw invalid({ valid_until: 'Must not be over when it is sent.' })
  await canonicalText(ctx, acceptableQuotation, sent.id) // refuses what is too long to be accepted
  await issueLink(ctx, acceptableQuotation, sent)
  await emit(ctx, 'quotation.sent', { quotation_id: sent.id })
}

/** A signed one prints what was signed. */
export async function pdf(ctx: Ctx, quotation: QuotationRow) {
  const { document, signed } = await paperOf(ctx, acceptableQuotation, quotation.id)
  return customerPdf(ctx, document, quotation.status, signed)
}

const MAILABLE = ['sent', 'accepted']

/** Queues a mail, by default to the contact, else to the company. As long as an answer is awaited it carries an acceptance link. */
export async function email(ctx: Ctx, quotation: QuotationRow, body: z.output<typeof EmailDocument>) {
  const { status } = quotation
  if (!MAILABLE.includes(status))
    throw invalid({ status: `Only sent and accepted quotations are mailed; this one is ${status}.` })
  const link = status === 'sent' ? await issueLink(ctx, acceptableQuotation, quotation) : undefined
  const { document, signed } = await paperOf(ctx, acceptableQuotation, quotation.id)
  const drawing = await customerPdf(ctx, document, status, signed)
  return emailOffer(ctx, quotations, quotation, { type: 'quotation.emailed', document, pdf: drawing, link }, body)
}
