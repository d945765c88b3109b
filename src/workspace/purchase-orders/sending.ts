/** Sends an order, and mails it to its vendor (PO-40). */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { chipOf, type EmailDocument, emailDocument, printed } from '#workspace/billing-documents/public.ts'
import { wordsOf } from '#workspace/document-texts/public.ts'
import { issue, paperOf } from '#workspace/issued-documents/public.ts'
import { vendorsEvenDeleted } from '#workspace/vendors/public.ts'
import { lifecycle } from './lifecycle.ts'
import { type Order, orders } from './orders.ts'
import { issuableOrder } from './pdf.ts'

/** draft → sent; the order date defaults to today (PO-23). Sends no mail. */
export async function send(ctx: Ctx, order: Order) {
  await lifecycle.move(ctx, orders, order, 'send', { order_date: order.order_date ?? ctx.today(), sent_at: ctx.now })
  await issue(ctx, issuableOrder, [order.id])
}

const MAILABLE = ['sent', 'partially_received', 'received']

/** 422 on `status` of a draft and of a cancelled order. */
export function refuseMailing(_ctx: Ctx, order: Order) {
  if (!MAILABLE.includes(order.status))
    throw invalid({ status: 'Send the purchase order before mailing it; cancelled ones are not mailed.' })
}

/** Queues the mail; the recipient defaults to the vendor's address. */
export async function email(ctx: Ctx, order: Order, body: z.output<typeof EmailDocument>) {
  const recipient = (await vendorsEvenDeleted(ctx, [order.vendor_id])).get(order.vendor_id)!.email
  const paper = await paperOf(ctx, issuableOrder, order.id)
  const say = await wordsOf(ctx, paper)
  const { currency, total, status } = order
  const facts = [{ label: say('total'), value: printed(say, currency).sum(total) }]
  const since = { status: chipOf(say, status) }
  return emailDocument(ctx, { type: 'purchase_order.emailed', paper, say, since, recipient, row: order, facts }, body)
}
