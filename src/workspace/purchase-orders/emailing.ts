/** Mailing an order to its vendor (PO-40). */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { type EmailDocument, emailDocument, printed } from '#workspace/billing-documents/public.ts'
import { vendorEvenDeleted } from '#workspace/vendors/public.ts'
import type { Order } from './orders.ts'
import { orderPdf } from './pdf.ts'

const MAILABLE = ['sent', 'partially_received', 'received']

/** Queues the mail, to the vendor's address where no other is named. 422 on `status` before the order was sent. */
export async function email(ctx: Ctx, order: Order, body: z.output<typeof EmailDocument>) {
  if (!MAILABLE.includes(order.status))
    throw invalid({ status: 'Send the purchase order before mailing it; cancelled ones are not mailed.' })
  const { email: recipient } = await vendorEvenDeleted(ctx, order.vendor_id)
  const pdf = await orderPdf(ctx, order)
  const { number, currency, total } = order
  const facts = [
    { label: 'Purchase order', value: number },
    { label: 'Total', value: `${currency} ${printed(ctx.tenant.locale, currency).amount(total)}` },
  ]
  return emailDocument(ctx, { type: 'purchase_order.emailed', number, recipient, facts, pdf }, body)
}
