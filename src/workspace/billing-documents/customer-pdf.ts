/** A customer's document as it is read: its words, and its figures in its language. */
import { capital } from '#kernel/values/words.ts'
import { localDay } from '#kernel/values/written.ts'
import type { CustomerDocument } from './customer-document.ts'
import type { BillingDocumentPdf } from './pdf.ts'
import { printed, type Sums } from './printing.ts'

/** What is printed of it, without the branding. Without lines by its kind, a document has none to print. */
export function printedCustomerDocument(document: CustomerDocument, locale: string) {
  const { type, number, title, issued_on, issuer, recipient, currency, body } = document
  const { subtotal, discount_total, tax_total, tax_breakdown, total, value } = document
  const print = printed(locale, currency)
  const dates = [
    { label: 'Date', value: issued_on },
    { label: 'Valid until', value: document.valid_until },
    { label: 'Starts', value: document.starts_on },
    { label: 'Ends', value: document.ends_on },
  ]
  const sums: Sums =
    subtotal === null
      ? { totals: [], taxes: [] }
      : print.totals({ subtotal, discount_total: discount_total!, tax_total: tax_total!, total: total!, tax_breakdown })
  return {
    kind: capital(type),
    ...{ number, title, issued_on, issuer, currency, body },
    recipient: recipient ? { label: 'For', ...recipient } : { label: '', name: '', lines: [] },
    dates: dates.flatMap(({ label, value }) => (value ? [{ label, value: localDay(value, locale) }] : [])),
    lines:
      subtotal === null
        ? undefined
        : document.lines.map(({ sku, ...line }) => print.line({ ...line, product: sku === null ? null : { sku } })),
    ...sums,
    totals: [...sums.totals, ...(value === null ? [] : [{ label: 'Value', value: print.amount(value), strong: true }])],
    notes_html: document.notes,
    terms_html: document.terms_and_conditions,
  } satisfies BillingDocumentPdf
}
