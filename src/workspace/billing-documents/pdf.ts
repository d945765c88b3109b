import { formattedText } from '#kernel/pdf/formatted-text.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { withCurrency } from '#kernel/values/money.ts'
import { qrRows } from '#kernel/values/qr-code.ts'

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
  /** `of_recipient`: read from the recipient's record, not from the document. */
  dates: { label: string; value: string; of_recipient?: true }[]
  issuer: { name: string; lines: string[] }
  /** E.g. label 'Vendor'. */
  recipient?: { label: string; name: string; lines: string[] } | null
  /** ISO code, shown in the head of the amounts and before strong totals. */
  currency: string
  /** None: a document without a table of lines, such as a contract. */
  lines?: BillingDocumentPdfLine[]
  /** Formatted text (sanitised HTML) between the head and the lines. */
  body?: string | null
  totals: BillingDocumentPdfTotal[]
  /** Net and tax of each rate, beside the totals. */
  taxes?: { rate: string; net: string; tax: string }[] | null
  /** Beside the totals, below the taxes: why no tax is charged, and when the supply was where no date says it. */
  tax_notices?: string[]
  /** Below the totals: what was paid or credited, and what is left to pay. */
  settlement?: BillingDocumentPdfTotal[] | null
  /** How it is paid by transfer. */
  transfer?: TransferBlock | null
  /** Further tables, e.g. the payments received; the last column, or as many as `figures` says, is aligned as numbers. */
  tables?: { title: string; headers: string[]; rows: string[][]; figures?: number }[]
  notes?: string | null
  /** Sanitised HTML, or plain text in `notes`. */
  notes_html?: string | null
  terms_html?: string | null
  /** Who signed it. `image` names the file of a drawn signature; without it the name stands as it was typed. */
  signature?: { title: string; name: string; image?: boolean; lines: string[] } | null
  /** At most two lines at the foot of every page. */
  footer?: string | null
  /** '#rrggbb' */
  accent?: string | null
  /** BCP 47 tag; Arabic, Persian, Hebrew and Urdu turn the page around. */
  language?: string | null
  /** The fixed words of the template, in English unless given. */
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

export interface TransferBlock {
  title: string
  note?: string
  lines: { label: string; value: string }[]
  /** The text of a code that banking apps read. */
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
  /** Off this line, and out of its amount; the column stands where any line has one. */
  discount?: string | null
  tax_rate: string
  amount: string
}

/** The document as a PDF still to be drawn: by `renderPdf`, or by a mail that it is attached to. `logo` and others in `files` are keys in the storage. */
export const billingDocument = (
  { body, notes_html, terms_html, lines, totals, settlement, transfer, ...data }: BillingDocumentPdf,
  files: { logo?: string | null; signature?: string | null } = {},
): PdfSpec => ({
  template: 'billing-documents/document',
  data: {
    ...data,
    lines: lines?.map((line) => ({ ...line, body: blocks(line.body) })),
    totals: [...totals, ...(settlement ?? [])],
    // What stands before a sum, and what behind it.
    around_sums: data.currency ? withCurrency('|', data.currency, data.language ?? 'en').split('|') : ['', ''],
    body: blocks(body),
    transfer: transfer && { ...transfer, qr: transfer.epc === undefined ? [] : qrRows(transfer.epc) },
    rich_notes: blocks(notes_html),
    rich_terms: blocks(terms_html),
  },
  files: Object.fromEntries(Object.entries(files).flatMap(([name, key]) => (key ? [[name, key]] : []))),
})

/** The printer's process makes blocks of it. */
const blocks = (html: string | null | undefined) => (html ? formattedText(html) : null)
