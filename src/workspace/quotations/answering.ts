/** How a quotation ends: the customer accepts it by a link, staff accept or reject it in their name, or its last day passes. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { emit } from '#kernel/modules/events.ts'
import { readByIds } from '#kernel/records/view.ts'
import { type Acceptable, endLinks } from '#workspace/acceptance/public.ts'
import { offerPapers } from '#workspace/billing-documents/public.ts'
import { lifecycle } from './lifecycle.ts'
import { type QuotationRow, quotations } from './quotations.ts'
import { PrintedQuotation, type RejectQuotation } from './schema.ts'

export const acceptableQuotation: Acceptable = {
  of: quotations,
  lastDay: 'valid_until',
  papers: async (ctx, ids) => offerPapers(ctx, 'quotation', await readByIds(ctx, PrintedQuotation, 'quotations', ids)),
  accepted: (ctx, quotation: QuotationRow) => accept(ctx, quotation, 'customer'),
}

/** sent → accepted (ACC-08). */
export async function accept(ctx: Ctx, quotation: QuotationRow, by: 'customer' | 'staff' = 'staff') {
  await end(ctx, quotation, 'accept')
  await emit(ctx, 'quotation.accepted', { quotation_id: quotation.id, by })
}

/** sent → rejected, with what the customer said. */
export async function reject(ctx: Ctx, quotation: QuotationRow, { reason = null }: z.output<typeof RejectQuotation>) {
  await end(ctx, quotation, 'reject', { rejection_reason: reason })
  await emit(ctx, 'quotation.rejected', { quotation_id: quotation.id, reason })
}

/** sent → expired. */
export async function expire(ctx: Ctx, quotation: QuotationRow) {
  await end(ctx, quotation, 'expire')
  await emit(ctx, 'quotation.expired', { quotation_id: quotation.id })
}

/** What is answered has no outstanding link (ACC-09). */
async function end(ctx: Ctx, quotation: QuotationRow, move: 'accept' | 'reject' | 'expire', also?: Partial<QuotationRow>) {
  await lifecycle.move(ctx, quotations, quotation, move, also)
  await endLinks(ctx, 'quotations', quotation.id)
}
