/**
 * Figures of billing documents as people read them, in the document's language. A line's amount is what is left of it after its
 * discount; the subtotal is what the amounts add up to, so that each discount is taken off once, where it stands (decision 0020).
 */
import { decimal, formatAmount, formatQuantity, formatUnitPrice } from '#kernel/values/money.ts'
import type { BillingDocumentPdf, BillingDocumentPdfLine, BillingDocumentPdfTotal } from './pdf.ts'
import type { TaxShare } from './tax-breakdown.ts'

/** A line as a detail view gives it, with the texts that are printed. */
interface ShownLine {
  quantity: number | string
  unit_price: number | string
  tax_rate: number | string
  line_total: number | string
  product: { sku: string } | null
  description?: string
  name?: string
  body?: string | null
  discount_amount?: number | string
}

interface ShownTotals {
  subtotal: number | string
  discount_total?: number | string
  tax_total: number | string
  total: number | string
  tax_breakdown: TaxShare[]
}

export type Sums = { totals: BillingDocumentPdfTotal[]; taxes: NonNullable<BillingDocumentPdf['taxes']> }

/** Lines and totals of a document in its currency. */
export function printed(locale: string, currency: string) {
  const amount = (value: number | string) => formatAmount(value, currency, locale)
  const isSome = (value: number | string | undefined) => value !== undefined && Number(value) !== 0
  const line = (shown: ShownLine): BillingDocumentPdfLine => ({
    description: shown.description ?? shown.name ?? '',
    detail: shown.product?.sku,
    body: shown.body,
    quantity: formatQuantity(shown.quantity, locale),
    unit_price: formatUnitPrice(shown.unit_price, currency, locale),
    discount: isSome(shown.discount_amount) ? `−${amount(shown.discount_amount!)}` : null,
    tax_rate: `${formatQuantity(shown.tax_rate, locale)}%`,
    amount: amount(shown.line_total),
  })
  const totals = ({ subtotal, discount_total = 0, tax_total, total, tax_breakdown }: ShownTotals): Sums => ({
    totals: [
      {
        label: 'Subtotal (net)',
        value: amount(decimal(subtotal).minus(discount_total).toFixed()),
        ...(isSome(discount_total) ? { note: `${amount(subtotal)} less discounts of ${amount(discount_total)}` } : {}),
      },
      { label: 'Tax', value: amount(tax_total) },
      { label: 'Total', value: amount(total), strong: true },
    ],
    taxes: tax_breakdown.map(({ tax_rate, net, tax }) => ({
      rate: `${formatQuantity(tax_rate, locale)}%`,
      net: amount(net),
      tax: amount(tax),
    })),
  })
  return { amount, line, totals }
}
