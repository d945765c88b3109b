/** The invoice that an estimate becomes: its words and lines, copied as they stand. The estimate's status stays. */
import type { Ctx } from '#kernel/context.ts'
import { convertToInvoice, type StoredOfferLine, storedLines } from '#workspace/billing-documents/public.ts'
import { createDraftInvoice } from '#workspace/invoices/public.ts'
import { type EstimateRow, estimates } from './estimates.ts'
import { estimateLines } from './schema.ts'

/** The id of the new draft. */
export const convert = (ctx: Ctx, estimate: EstimateRow) =>
  convertToInvoice(ctx, estimates, estimate, ['sent', 'accepted'], async () => {
    const { id, title, currency, contact_id, company_id, assigned_to, line_discount_type, tax_rounding } = estimate
    const { notes, terms_and_conditions } = estimate
    return createDraftInvoice(ctx, {
      ...{ title, currency, contact_id, company_id, assigned_to, line_discount_type, tax_rounding, notes, terms_and_conditions },
      estimate_id: id,
      lines: await storedLines<StoredOfferLine>(ctx, estimateLines, id),
    })
  })
