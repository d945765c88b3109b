/** Formats a customer's document: texts and numbers in its languages. */
import type { Say } from '#workspace/document-texts/public.ts'
import type { CustomerDocument } from './customer-document.ts'
import type { BillingDocumentPdf } from './pdf.ts'
import { printed, printedDates, type Sums } from './printing.ts'

/** Returns the printed content without the letterhead. Kinds without lines print none. */
export function printedCustomerDocument(document: CustomerDocument, say: Say) {
  const { type, number, title, issued_on, issuer, recipient, currency, body } = document
  const { subtotal, discount_total, tax_total, tax_breakdown, total, value } = document
  const print = printed(say, currency)
  const { valid_until, starts_on, ends_on } = document
  const sums: Sums =
    subtotal === null
      ? { totals: [], taxes: [] }
      : print.totals({ subtotal, discount_total: discount_total!, tax_total: tax_total!, total: total!, tax_breakdown })
  return {
    kind: say(`kind_${type}`),
    ...{ number, title, issued_on, issuer, currency, body },
    recipient: recipient ? { label: say('for'), ...recipient } : { label: '', name: '', lines: [] },
    dates: printedDates(say, { date: issued_on, valid_until, starts_on, ends_on }),
    lines:
      subtotal === null
        ? undefined
        : document.lines.map(({ sku, ...line }) => print.line({ ...line, product: sku === null ? null : { sku } })),
    ...sums,
    totals: [...sums.totals, ...(value === null ? [] : [{ label: say('value'), value: print.amount(value), strong: true }])],
    notes_html: document.notes,
    terms_html: document.terms_and_conditions,
  } satisfies BillingDocumentPdf
}
