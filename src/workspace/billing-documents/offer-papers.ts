/** Print models of quotations, estimates and contracts. */
import type { Ctx } from '#kernel/context.ts'
import { stationeryOf } from './branding.ts'
import { recipientsOf } from './customer.ts'
import type { CustomerDocument } from './customer-document.ts'
import { printedCustomerDocument } from './customer-pdf.ts'
import type { OfferPaper } from './paper.ts'

type Own = Omit<CustomerDocument, 'type' | 'issuer' | 'recipient' | 'lines'>
type PrintedLine = Omit<CustomerDocument['lines'][number], 'sku'> & { product: { sku: string } | null }
/** Data that a kind of document provides, as read by its view. */
type Read = Pick<Own, 'number' | 'title' | 'currency' | 'issued_on'> &
  Partial<Own> & { id: number; contact_id: number | null; company_id: number | null; lines?: PrintedLine[] }

/** Returns the current print models of documents of a kind, by id. */
export async function offerPapers(ctx: Ctx, type: CustomerDocument['type'], documents: Read[]): Promise<Map<number, OfferPaper>> {
  const [recipientFor, stationeryFor] = await Promise.all([recipientsOf(ctx, documents), stationeryOf(ctx)])
  return new Map(
    documents.map((read) => {
      const recipient = recipientFor(read)
      const { branding, written, say } = stationeryFor(recipient.languages)
      const shown = customerDocument(type, read, branding.issuer, recipient.printed(say))
      return [read.id, { shown, printed: { ...branding, ...printedCustomerDocument(shown, say) }, ...written }]
    }),
  )
}

function customerDocument(
  type: CustomerDocument['type'],
  { lines = [], ...read }: Read,
  issuer: CustomerDocument['issuer'],
  recipient: CustomerDocument['recipient'],
): CustomerDocument {
  const { number, title, currency, issued_on } = read
  return {
    type,
    ...{ number, title, currency, issued_on, issuer, recipient },
    valid_until: read.valid_until ?? null,
    starts_on: read.starts_on ?? null,
    ends_on: read.ends_on ?? null,
    body: read.body ?? null,
    lines: lines.map(({ name, product, body, quantity, unit_price, discount_amount, tax_rate, line_total }) => ({
      ...{ name, sku: product?.sku ?? null, body, quantity, unit_price, discount_amount, tax_rate, line_total },
    })),
    subtotal: read.subtotal ?? null,
    discount_total: read.discount_total ?? null,
    tax_total: read.tax_total ?? null,
    tax_breakdown: read.tax_breakdown ?? [],
    total: read.total ?? null,
    value: read.value ?? null,
    notes: read.notes ?? null,
    terms_and_conditions: read.terms_and_conditions ?? null,
  }
}
