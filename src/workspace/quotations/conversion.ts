/** The invoice that a quotation becomes: its words and lines, copied as they stand. The quotation's status stays. */
import type { Ctx } from '#kernel/context.ts'
import { convertToInvoice, type StoredOfferLine, storedLines } from '#workspace/billing-documents/public.ts'
import { createDraftInvoice } from '#workspace/invoices/public.ts'
import { type QuotationRow, quotations } from './quotations.ts'
import { quotationLines } from './schema.ts'

/** The id of the new draft. */
export const convert = (ctx: Ctx, quotation: QuotationRow) =>
  convertToInvoice(ctx, quotations, quotation, ['sent', 'accepted'], async () => {
    const { id, title, currency, contact_id, company_id, assigned_to, line_discount_type, tax_rounding } = quotation
    const { notes, terms_and_conditions } = quotation
    return createDraftInvoice(ctx, {
      ...{ title, currency, contact_id, company_id, assigned_to, line_discount_type, tax_rounding, notes, terms_and_conditions },
      quotation_id: id,
      lines: await storedLines<StoredOfferLine>(ctx, quotationLines, id),
    })
  })
