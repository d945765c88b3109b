/**
 * Formats numbers of billing documents in the document's languages. A line's amount is after its discount; the subtotal is the
 * sum of these amounts, so that each discount is deducted once, in its line (decision 0020).
 */
import { decimal, formatAmount, formatPercentage, formatUnitPrice, withCurrency } from '#kernel/values/money.ts'
import { localDay } from '#kernel/values/written.ts'
import type { Say } from '#workspace/document-texts/public.ts'
import type { BillingDocumentPdf, BillingDocumentPdfLine, BillingDocumentPdfTotal } from './pdf.ts'
import type { TaxShare } from './tax-breakdown.ts'
import { quantityIn } from './units.ts'

/** A line from a detail view, with the texts to print. */
interface ShownLine {
  quantity: number | string
  unit_code?: string
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

/** Printed totals, and the taxes next to them. */
export type Sums = { totals: BillingDocumentPdfTotal[]; taxes: NonNullable<BillingDocumentPdf['taxes']> }

type DateKey =
  | 'date'
  | 'issue_date'
  | 'due_date'
  | 'order_date'
  | 'expected_date'
  | 'valid_until'
  | 'starts_on'
  | 'ends_on'
  | 'paid_on'
  | 'delivery_date'

/** Dates for a document's header, if it has them, in this order. */
export const printedDates = (say: Say, days: Partial<Record<DateKey, string | null>>): BillingDocumentPdf['dates'] =>
  Object.entries(days).flatMap(([key, day]) => (day ? [{ label: say(key as DateKey), value: localDay(day, say.locale) }] : []))

interface Delivered {
  delivery_date: string | null
  delivery_period_start: string | null
  delivery_period_end: string | null
  order_reference: string | null
  buyer_reference: string | null
}

/** Delivery and buyer references, for an invoice's header in addition to its dates. */
export function printedDelivery(say: Say, of: Delivered, usualReference: string | null): BillingDocumentPdf['dates'] {
  const { delivery_date, delivery_period_start: start, delivery_period_end: end } = of
  const period = [start, end].map((day) => (day ? localDay(day, say.locale, 'medium') : '')).join(' – ')
  const more = [
    { label: say('delivery_period'), value: start || end ? period.trim() : '' },
    { label: say('order_reference'), value: of.order_reference ?? '' },
    of.buyer_reference === null && usualReference !== null
      ? { label: say('buyer_reference'), value: usualReference, of_recipient: true as const }
      : { label: say('buyer_reference'), value: of.buyer_reference ?? '' },
  ]
  return [...printedDates(say, { delivery_date }), ...more.filter(({ value }) => value)]
}

/** Sentence about the time of supply for an invoice without a day or period of it, if the seller's law requires one. */
export const printedSupply = (say: Say, of: Delivered, isAsked: boolean): string[] =>
  isAsked && !of.delivery_date && !of.delivery_period_start && !of.delivery_period_end ? [say('supply_on_issue_date')] : []

/** The invoice that a credit note corrects, with its date (directive 2006/112/EC, article 219). */
export const printedCorrection = (
  say: Say,
  of: { number: string; issued_on: string } | undefined,
): BillingDocumentPdf['dates'] =>
  of ? [{ label: say('corrects_invoice'), value: `${of.number}, ${localDay(of.issued_on, say.locale)}` }] : []

/** Formats lines and totals of a document in its currency; `sum` adds the currency, `amount` doesn't. */
export function printed(say: Say, currency: string) {
  const { locale } = say
  const amount = (value: number | string) => formatAmount(value, currency, locale)
  const isSome = (value: number | string | undefined) => value !== undefined && Number(value) !== 0
  const line = (shown: ShownLine): BillingDocumentPdfLine => ({
    description: shown.description ?? shown.name ?? '',
    detail: shown.product?.sku,
    body: shown.body,
    quantity: quantityIn(shown.quantity, shown.unit_code, locale),
    unit_price: formatUnitPrice(shown.unit_price, currency, locale),
    discount: isSome(shown.discount_amount) ? `−${amount(shown.discount_amount!)}` : null,
    tax_rate: formatPercentage(shown.tax_rate, locale),
    amount: amount(shown.line_total),
  })
  const totals = ({ subtotal, discount_total = 0, tax_total, total, tax_breakdown }: ShownTotals): Sums => ({
    totals: [
      {
        label: say('subtotal'),
        value: amount(decimal(subtotal).minus(discount_total).toFixed()),
        ...(isSome(discount_total)
          ? { note: say('subtotal_note', { subtotal: amount(subtotal), discounts: amount(discount_total) }) }
          : {}),
      },
      { label: say('tax_total'), value: amount(tax_total) },
      { label: say('total'), value: amount(total), strong: true },
    ],
    taxes: tax_breakdown.map(({ tax_rate, net, tax }) => ({
      rate: formatPercentage(tax_rate, locale),
      net: amount(net),
      tax: amount(tax),
    })),
  })
  const sum = (value: number | string) => withCurrency(amount(value), currency, locale)
  return { amount, sum, line, totals }
}
