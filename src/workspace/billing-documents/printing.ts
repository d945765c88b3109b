/** Figures of billing documents as people read them, in the workspace's language. They are formatted here and computed nowhere. */
import { formatAmount, formatQuantity, formatUnitPrice } from '#kernel/values/money.ts'
import type { BillingDocumentPdf, BillingDocumentPdfLine } from './pdf.ts'

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
}

/** Lines and totals of a document in its currency. Discounts are shown where there are any. */
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
  const totals = ({ subtotal, discount_total, tax_total, total }: ShownTotals): BillingDocumentPdf['totals'] => [
    { label: 'Subtotal', value: amount(subtotal) },
    ...(isSome(discount_total) ? [{ label: 'Discount', value: `−${amount(discount_total!)}` }] : []),
    { label: 'Tax', value: amount(tax_total) },
    { label: 'Total', value: amount(total), strong: true },
  ]
  return { amount, line, totals }
}
