/** The order on paper. It prints what is stored and computes nothing (PO-39). */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { addressLines, billingDocument, brandingOf, printed } from '#workspace/billing-documents/public.ts'
import { vendorEvenDeleted } from '#workspace/vendors/public.ts'
import { type Order, orders } from './orders.ts'

const labels: Record<string, string> = {
  sent: 'Sent',
  partially_received: 'Partially received',
  received: 'Received',
  cancelled: 'Cancelled',
}

/** What the order's PDF shows, read now, in the transaction; it is drawn later. 422 on `status` before the order was sent. */
export async function orderPdf(ctx: Ctx, order: Order): Promise<PdfSpec> {
  if (!order.sent_at) throw invalid({ status: 'Send the purchase order first; a draft has no PDF.' })
  const { currency, ...detail } = await orders.loadDetailUnscoped(ctx, order.id)
  const vendor = await vendorEvenDeleted(ctx, order.vendor_id)
  const { branding, logo } = await brandingOf(ctx)
  const print = printed(ctx.tenant.locale, currency)
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
      lines: addressLines([vendor.address, vendor.email, vendor.phone, vendor.tax_id && `Tax ID ${vendor.tax_id}`]),
    },
    currency,
    lines: detail.lines.map(print.line),
    totals: print.totals(detail),
    notes: detail.notes,
  }
  return billingDocument(document, { logo })
}
