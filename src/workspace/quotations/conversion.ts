/** The invoice that a quotation becomes: its words and lines, copied as they stand. The quotation's status stays. */
import type { Ctx } from '#kernel/context.ts'
import { convertToInvoice } from '#workspace/billing-documents/public.ts'
import { draftFromOffer } from '#workspace/invoices/public.ts'
import { type QuotationRow, quotations } from './quotations.ts'
import { quotationLines } from './schema.ts'

/** The id of the new draft. */
export const convert = (ctx: Ctx, quotation: QuotationRow) =>
  convertToInvoice(ctx, quotations, quotation, ['sent', 'accepted'], () =>
    draftFromOffer(ctx, quotation, 'quotation_id', quotationLines),
  )
