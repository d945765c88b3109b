/** Invoice functions for other modules. */
import type { Ctx } from '#kernel/context.ts'
import { childrenOf, computeTotals, type OfferLine } from '#workspace/billing-documents/public.ts'
import { announce, type Invoice, invoices } from './invoices.ts'
import { invoiceLines } from './schema.ts'

export type { Invoice } from './invoices.ts'
export { invoiceToPay } from './paying.ts'
export { InvoiceDetail, invoiceLines } from './schema.ts'
export { lockInvoices, settle } from './settlement.ts'

/** Values that an invoice takes unchanged from an offer or a contract. */
export type InvoiceTerms = Pick<
  Invoice,
  | 'title'
  | 'currency'
  | 'contact_id'
  | 'company_id'
  | 'assigned_to'
  | 'line_discount_type'
  | 'tax_rounding'
  | 'notes'
  | 'terms_and_conditions'
>

/** A draft created from an offer or a contract: terms, lines, and origin. */
type Draft = InvoiceTerms & Partial<Pick<Invoice, 'quotation_id' | 'estimate_id' | 'contract_id'>> & { lines: OfferLine[] }

/** Creates a draft invoice and returns its id. Its totals are computed from its lines. */
export async function createDraftInvoice(ctx: Ctx, { lines, ...columns }: Draft): Promise<number> {
  const { totals, lines: priced } = computeTotals(lines, columns)
  const numberPrefix = await ctx.setting('invoices_number_prefix')
  const children = childrenOf(invoiceLines, priced)
  const invoice = await invoices.insert(ctx, { ...columns, ...totals }, { numberPrefix, children })
  await announce(ctx, invoice.id)
  return invoice.id
}

/** The invoice's detail view without permission checks, for the caller that has just created it. */
export const showInvoice = invoices.renderUnscoped
