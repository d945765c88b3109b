/** What other modules may ask of invoices. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import {
  childrenOf,
  computeTotals,
  type LineTable,
  type OfferLineInput,
  type StoredOfferLine,
  storedLines,
} from '#workspace/billing-documents/public.ts'
import { announce, type Invoice, invoices } from './invoices.ts'
import { invoiceLines } from './schema.ts'

export type { Invoice } from './invoices.ts'
export { InvoiceDetail } from './schema.ts'
export { lockInvoices, settle } from './settlement.ts'

type Copied =
  | 'title'
  | 'currency'
  | 'contact_id'
  | 'company_id'
  | 'assigned_to'
  | 'line_discount_type'
  | 'tax_rounding'
  | 'notes'
  | 'terms_and_conditions'

/** What an offer or a contract becomes: its own words and lines, copied as they stand, and where they come from. */
type Draft = Pick<Invoice, Copied> &
  Partial<Pick<Invoice, 'quotation_id' | 'estimate_id' | 'contract_id'>> & { lines: z.output<typeof OfferLineInput>[] }

/** The id of a new draft invoice. What it comes to follows from its lines. */
export async function createDraftInvoice(ctx: Ctx, { lines, ...columns }: Draft): Promise<number> {
  const { totals, lines: priced } = computeTotals(lines, columns)
  const numberPrefix = await ctx.setting('invoices_number_prefix')
  const children = childrenOf(invoiceLines, priced)
  const invoice = await invoices.insert(ctx, { ...columns, ...totals }, { numberPrefix, children })
  await announce(ctx, invoice.id)
  return invoice.id
}

type Offer = Pick<Invoice, Copied> & { id: number }

/** A draft made of a quotation or an estimate, which `origin` says, with the lines in its table. */
export async function draftFromOffer(ctx: Ctx, offer: Offer, origin: 'quotation_id' | 'estimate_id', table: LineTable) {
  const { id, title, currency, contact_id, company_id, assigned_to, line_discount_type, tax_rounding } = offer
  const { notes, terms_and_conditions } = offer
  const lines = await storedLines<StoredOfferLine>(ctx, table, id)
  return createDraftInvoice(ctx, {
    ...{ title, currency, contact_id, company_id, assigned_to, line_discount_type, tax_rounding, notes, terms_and_conditions },
    [origin]: id,
    lines,
  })
}

/** The invoice's detail view, for whoever has just made it. */
export const showInvoice = invoices.renderUnscoped
