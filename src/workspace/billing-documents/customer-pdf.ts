/** A customer's document as it is read: its figures in the workspace's language, and all of it on paper. */
import type { Ctx } from '#kernel/context.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { capital, words } from '#kernel/values/words.ts'
import { brandingOf } from './branding.ts'
import type { CustomerDocument } from './customer-document.ts'
import { type BillingDocumentPdf, billingDocument } from './pdf.ts'
import { printed } from './printing.ts'

/** Dates, lines and totals as people read them. Without lines by its kind, a document has none to print. */
export function printedCustomerDocument(document: CustomerDocument, locale: string) {
  const { currency, subtotal, discount_total, tax_total, total, value } = document
  const print = printed(locale, currency)
  const dates = [
    { label: 'Date', value: document.issued_on },
    { label: 'Valid until', value: document.valid_until },
    { label: 'Starts', value: document.starts_on },
    { label: 'Ends', value: document.ends_on },
  ]
  return {
    dates: dates.flatMap(({ label, value }) => (value ? [{ label, value }] : [])),
    lines:
      subtotal === null
        ? undefined
        : document.lines.map(({ sku, ...line }) => print.line({ ...line, product: sku === null ? null : { sku } })),
    totals: [
      ...(subtotal === null
        ? []
        : print.totals({ subtotal, discount_total: discount_total!, tax_total: tax_total!, total: total! })),
      ...(value === null ? [] : [{ label: 'Value', value: print.amount(value), strong: true }]),
    ],
  }
}

/** The signature under a document. */
export interface Signed {
  block: NonNullable<BillingDocumentPdf['signature']>
  /** The storage key of a drawn signature. */
  image: string | null
}

/** Its PDF, still to be drawn, with its status and, once it is accepted, the signature. */
export async function customerPdf(ctx: Ctx, document: CustomerDocument, status: string, signed?: Signed): Promise<PdfSpec> {
  const { branding, logo } = await brandingOf(ctx)
  const { type, number, title, issuer, recipient, issued_on, currency, body } = document
  return billingDocument(
    {
      ...branding,
      ...{ number, title, issuer, issued_on, currency, body },
      kind: capital(type),
      status: capital(words(status)),
      recipient: recipient ? { label: 'For', ...recipient } : { label: '', name: '', lines: [] },
      ...printedCustomerDocument(document, ctx.tenant.locale),
      notes_html: document.notes,
      terms_html: document.terms_and_conditions,
      signature: signed?.block,
    },
    { logo, signature: signed?.image },
  )
}
