/** The order on paper. It prints what is stored and computes nothing (PO-39). */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Drawing } from '#kernel/pdf/drawing.ts'
import { formatAmount, formatQuantity, formatUnitPrice } from '#kernel/values/money.ts'
import { billingDocument, brandingOf, linesOf } from '#workspace/billing-documents/public.ts'
import { vendorEvenDeleted } from '#workspace/vendors/public.ts'
import { type Order, orders } from './orders.ts'

const labels: Record<string, string> = {
  sent: 'Sent',
  partially_received: 'Partially received',
  received: 'Received',
  cancelled: 'Cancelled',
}

/** What the order's PDF shows, read now, in the transaction; it is drawn later. 422 on `status` before the order was sent. */
export async function orderPdf(ctx: Ctx, order: Order): Promise<Drawing> {
  if (!order.sent_at) throw invalid({ status: 'Send the purchase order first; a draft has no PDF.' })
  const { currency, lines, ...detail } = await orders.read(ctx, order.id)
  const vendor = await vendorEvenDeleted(ctx, order.vendor_id)
  const { branding, logo } = await brandingOf(ctx)
  const { locale } = ctx.tenant
  const amount = (value: number | string) => formatAmount(value, currency, locale)
  const document = {
    ...branding,
    kind: 'Purchase order',
    number: detail.number,
    title: detail.title,
    status: labels[detail.status],
    issued_on: detail.order_date,
    dates: [
      { label: 'Order date', value: detail.order_date ?? '' },
      { label: 'Expected', value: detail.expected_date ?? '' },
    ].filter(({ value }) => value),
    recipient: {
      label: 'Vendor',
      name: vendor.name,
      lines: linesOf([vendor.address, vendor.email, vendor.phone, vendor.tax_id && `Tax ID ${vendor.tax_id}`]),
    },
    currency,
    lines: lines.map((line) => ({
      description: line.description,
      detail: line.product?.sku,
      quantity: formatQuantity(line.quantity, locale),
      unit_price: formatUnitPrice(line.unit_price, currency, locale),
      tax_rate: `${formatQuantity(line.tax_rate, locale)}%`,
      amount: amount(line.line_total),
    })),
    totals: [
      { label: 'Subtotal', value: amount(order.subtotal) },
      { label: 'Tax', value: amount(order.tax_total) },
      { label: 'Total', value: amount(order.total), strong: true },
    ],
    notes: detail.notes,
  }
  return billingDocument(document, logo)
}
