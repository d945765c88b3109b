/** Mailing an order to its vendor (PO-40). */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { chipOf, type EmailDocument, emailDocument, printed } from '#workspace/billing-documents/public.ts'
import { paperOf } from '#workspace/issued-documents/public.ts'
import { vendorsEvenDeleted } from '#workspace/vendors/public.ts'
import type { Order } from './orders.ts'
import { issuableOrder } from './pdf.ts'

const MAILABLE = ['sent', 'partially_received', 'received']

/** Queues the mail, to the vendor's address where no other is named. 422 on `status` before the order was sent. */
export async function email(ctx: Ctx, order: Order, body: z.output<typeof EmailDocument>) {
  if (!MAILABLE.includes(order.status))
    throw invalid({ status: 'Send the purchase order before mailing it; cancelled ones are not mailed.' })
  const recipient = (await vendorsEvenDeleted(ctx, [order.vendor_id])).get(order.vendor_id)!.email
  const paper = await paperOf(ctx, issuableOrder, order.id)
  const { currency, total, status } = order
  const facts = [{ label: 'Total', value: `${currency} ${printed(paper.locale, currency).amount(total)}` }]
  const since = { status: chipOf(status) }
  return emailDocument(ctx, { type: 'purchase_order.emailed', paper, since, recipient, facts }, body)
}
