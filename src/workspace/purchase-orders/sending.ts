import type { Ctx } from '#kernel/context.ts'
import { issue } from '#workspace/issued-documents/public.ts'
import { lifecycle } from './lifecycle.ts'
import { type Order, orders } from './orders.ts'
import { issuableOrder } from './pdf.ts'

/** draft → sent; the order's date is today's where none was chosen (PO-23). Sends no mail. */
export async function send(ctx: Ctx, order: Order) {
  await lifecycle.move(ctx, orders, order, 'send', { order_date: order.order_date ?? ctx.today(), sent_at: ctx.now })
  await issue(ctx, issuableOrder, [order.id])
}
