/** The invoice that an estimate becomes: its words and lines, copied as they stand. The estimate's status stays. */
import type { Ctx } from '#kernel/context.ts'
import { convertToInvoice } from '#workspace/billing-documents/public.ts'
import { draftFromOffer } from '#workspace/invoices/public.ts'
import { type EstimateRow, estimates } from './estimates.ts'
import { estimateLines } from './schema.ts'

/** The id of the new draft. */
export const convert = (ctx: Ctx, estimate: EstimateRow) =>
  convertToInvoice(ctx, estimates, estimate, ['sent', 'accepted'], () =>
    draftFromOffer(ctx, estimate, 'estimate_id', estimateLines),
  )
