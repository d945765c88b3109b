/** Sending a quotation: from then on it stays what it is, and the customer can accept it. It is printed and mailed. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { emit } from '#kernel/modules/events.ts'
import { acceptablePdf, emailAcceptable, openToAcceptance } from '#workspace/acceptance/public.ts'
import type { EmailDocument } from '#workspace/billing-documents/public.ts'
import { acceptableQuotation } from './answering.ts'
import { lifecycle } from './lifecycle.ts'
import { type QuotationRow, quotations } from './quotations.ts'

/** draft → sent, with an acceptance link (ACC-08). Sends no mail. 422 on `valid_until` when that is over. */
export async function send(ctx: Ctx, quotation: QuotationRow) {
  const sent = await lifecycle.move(ctx, quotations, quotation, 'send', { issued_on: ctx.today() })
  await openToAcceptance(ctx, acceptableQuotation, sent)
  await emit(ctx, 'quotation.sent', { quotation_id: sent.id })
}

export const pdf = (ctx: Ctx, quotation: QuotationRow) => acceptablePdf(ctx, acceptableQuotation, quotation)

export const email = (ctx: Ctx, quotation: QuotationRow, body: z.output<typeof EmailDocument>) =>
  emailAcceptable(ctx, acceptableQuotation, ['sent', 'accepted'], quotation, body)
