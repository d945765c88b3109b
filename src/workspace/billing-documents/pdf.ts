import type { Drawing } from '#kernel/pdf/drawing.ts'

/**
 * What document.typ prints. Every value is text the caller has formatted (dates, numbers, percentages) and is printed
 * literally; amounts come without a currency, which the template adds where it is needed.
 */
export type BillingDocumentPdf = {
  /** The word for this document, e.g. 'Purchase order'. */
  kind: string
  number: string
  title?: string | null
  /** Shown as a chip below the number, e.g. 'Received'. */
  status?: string | null
  /** YYYY-MM-DD. The date inside the PDF file: with it, the same data always gives the same bytes. */
  issued_on?: string | null
  dates: { label: string; value: string }[]
  issuer: { name: string; lines: string[] }
  /** E.g. label 'Vendor'. */
  recipient: { label: string; name: string; lines: string[] }
  /** ISO code, shown in the head of the amounts and before strong totals. */
  currency: string
  lines: BillingDocumentPdfLine[]
  totals: { label: string; value: string; strong?: boolean }[]
  /** Further tables, e.g. the payments received; the last column is aligned as numbers. */
  tables?: { title: string; headers: string[]; rows: string[][] }[]
  notes?: string | null
  terms?: string | null
  /** At most two lines at the foot of every page. */
  footer?: string | null
  /** '#rrggbb' */
  accent?: string | null
  /** ISO 639-1 code; Arabic, Persian, Hebrew and Urdu turn the page around. */
  language?: string | null
  /** The fixed words of the template, in English unless given. */
  labels?: Partial<
    Record<'description' | 'quantity' | 'unit_price' | 'tax_rate' | 'amount' | 'no_lines' | 'notes' | 'terms', string>
  >
}

export type BillingDocumentPdfLine = {
  description: string
  /** A small second line, e.g. the product code. */
  detail?: string | null
  quantity: string
  unit_price: string
  tax_rate: string
  amount: string
}

/** The document as a PDF still to be drawn: by `drawPdf`, or by a mail that it is attached to. `logo` is its key in the storage. */
export const billingDocument = (data: BillingDocumentPdf, logo?: string | null): Drawing => ({
  template: 'billing-documents/document',
  data,
  files: logo ? { logo } : {},
})
