import { formattedText } from '#kernel/pdf/formatted-text.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { withCurrency } from '#kernel/values/money.ts'
import { qrRows } from '#kernel/values/qr-code.ts'

/**
 * Data that document.typ prints. Every value is text formatted by the caller (dates, numbers, percentages) and printed literally;
 * amounts have no currency, which the template adds where needed.
 */
export type BillingDocumentPdf = {
  /** Name of the kind of document, e.g. 'Purchase order'. */
  kind: string
  number: string
  title?: string | null
  /** Badge below the number, e.g. 'Received'. */
  status?: string | null
  /** YYYY-MM-DD. Date inside the PDF file: it makes the same data always give the same bytes. */
  issued_on?: string | null
  /** `of_recipient`: from the recipient's record, not from the document. */
  dates: { label: string; value: string; of_recipient?: true }[]
  issuer: { name: string; lines: string[] }
  /** E.g. label 'Vendor'. */
  recipient?: { label: string; name: string; lines: string[] } | null
  /** ISO code, shown in the header of the amounts and before strong totals. */
  currency: string
  /** None: a document without a table of lines, such as a contract. */
  lines?: BillingDocumentPdfLine[]
  /** Formatted text (sanitised HTML) between the header and the lines. */
  body?: string | null
  totals: BillingDocumentPdfTotal[]
  /** Net and tax of each rate, next to the totals. */
  taxes?: { rate: string; net: string; tax: string }[] | null
  /** Next to the totals, below the taxes: why no tax is charged, and the time of supply if no date states it. */
  tax_notices?: string[]
  /** Below the totals: paid or credited amounts, and the balance due. */
  settlement?: BillingDocumentPdfTotal[] | null
  /** Bank transfer details. */
  transfer?: TransferBlock | null
  /** Further tables, e.g. the payments received; the last column, or the last `figures` columns, are aligned as numbers. */
  tables?: { title: string; headers: string[]; rows: string[][]; figures?: number }[]
  notes?: string | null
  /** Sanitised HTML, or plain text in `notes`. */
  notes_html?: string | null
  terms_html?: string | null
  /** Signer. `image` is the file of a drawn signature; without it, the typed name is printed. */
  signature?: { title: string; name: string; image?: boolean; lines: string[] } | null
  /** At most two lines at the foot of every page. */
  footer?: string | null
  /** '#rrggbb' */
  accent?: string | null
  /** BCP 47 tag; Arabic, Persian, Hebrew and Urdu reverse the page's direction. */
  language?: string | null
  /** Fixed texts of the template, by default in English. */
  labels?: Partial<
    Record<
      | 'description'
      | 'quantity'
      | 'unit_price'
      | 'discount'
      | 'tax_rate'
      | 'amount'
      | 'no_lines'
      | 'rate'
      | 'net'
      | 'tax'
      | 'notes'
      | 'terms',
      string
    >
  >
}

/** Printed details for a bank transfer. */
export interface TransferBlock {
  title: string
  note?: string
  lines: { label: string; value: string }[]
  /** Text of a QR code for banking apps. */
  epc?: string
}

export type BillingDocumentPdfTotal = {
  label: string
  /** A small line below the label. */
  note?: string
  value: string
  strong?: boolean
}

export type BillingDocumentPdfLine = {
  description: string
  /** A small second line, e.g. the product code. */
  detail?: string | null
  /** Formatted text (sanitised HTML) below it. */
  body?: string | null
  quantity: string
  unit_price: string
  /** Discount on this line, already deducted from its amount; the column is shown if any line has one. */
  discount?: string | null
  tax_rate: string
  amount: string
}

/**
 * Spec of the document's PDF, rendered by `renderPdf`, or by a mail that it is attached to. `logo` and the other `files` are
 * storage keys.
 */
export const billingDocument = (
  { body, notes_html, terms_html, lines, totals, settlement, transfer, ...data }: BillingDocumentPdf,
  files: { logo?: string | null; signature?: string | null } = {},
): PdfSpec => ({
  template: 'billing-documents/document',
  data: {
    ...data,
    lines: lines?.map((line) => ({ ...line, body: blocks(line.body) })),
    totals: [...totals, ...(settlement ?? [])],
    // Text before and after a sum.
    around_sums: data.currency ? withCurrency('|', data.currency, data.language ?? 'en').split('|') : ['', ''],
    body: blocks(body),
    transfer: transfer && { ...transfer, qr: transfer.epc === undefined ? [] : qrRows(transfer.epc) },
    rich_notes: blocks(notes_html),
    rich_terms: blocks(terms_html),
  },
  files: Object.fromEntries(Object.entries(files).flatMap(([name, key]) => (key ? [[name, key]] : []))),
})

/** Blocks of formatted text for the renderer's process. */
const blocks = (html: string | null | undefined) => (html ? formattedText(html) : null)
