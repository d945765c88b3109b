/** The verbs of a purchase order. Each begins with a record that the route has found and locked, and ends in its detail view. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { together } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import { assign, assigneeForNew, assigneeForUpdate } from '#kernel/records/assignment.ts'
import { nextNumber } from '#kernel/records/numbering.ts'
import { changedFields, type Row } from '#kernel/records/resource.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { computeTotals } from '#workspace/billing-documents/public.ts'
import { vendorOf } from '#workspace/vendors/public.ts'
import { lifecycle, type Status } from './lifecycle.ts'
import { addLines, priceLines, replaceLines, storedLines } from './lines.ts'
import { orders, showOrder } from './queries.ts'
import type { CreateOrder, LineInput, UpdateOrder } from './schema.ts'

export type Order = Row<'purchase_orders'>

/** A draft with the next number (PO-05). */
export async function create(ctx: Ctx, { lines, ...body }: z.output<typeof CreateOrder>) {
  await vendorOf(ctx, body.vendor_id)
  const currency = body.currency ?? ctx.tenant.currency
  const tax_rounding = await ctx.setting('tax_rounding')
  const priced = await priceLines(ctx, lines, currency, tax_rounding)
  const assigned_to = await assigneeForNew(ctx, 'purchase-orders.assign', body.assigned_to)
  const number = await nextNumber(ctx, 'purchase_orders', await ctx.setting('purchase_orders_number_prefix'))
  const order = await orders.insert(ctx, { ...body, number, currency, tax_rounding, assigned_to, ...priced.totals })
  // The counter's row is locked until the commit: these two leave together.
  const [, shown] = await together(addLines(ctx, order.id, priced.lines), showOrder(ctx, order.id))
  return shown
}

/** Changes what was sent; drafts only (PO-21, PO-22). */
export async function update(ctx: Ctx, order: Order, { lines, ...body }: z.output<typeof UpdateOrder>) {
  if (order.status !== 'draft') throw invalid({ status: 'Only draft purchase orders can be edited.' })
  if (body.vendor_id !== undefined) await vendorOf(ctx, body.vendor_id)
  const assigned_to = await assigneeForUpdate(ctx, 'purchase-orders.assign', body.assigned_to)
  const priced = await reprice(ctx, order, lines, body.currency ?? order.currency)
  const changes = changedFields(order, { ...body, assigned_to: undefined, ...priced?.totals }, orders.decimals)
  const fields = [...Object.keys(changes), ...(lines ? ['lines'] : [])]

  if (priced) await replaceLines(ctx, order.id, priced.lines)
  if (fields.length) await together(orders.save(ctx, order, changes), logActivity(ctx, orders, order.id, 'updated', { fields }))
  if (assigned_to !== undefined) await assign(ctx, orders, order, assigned_to)
  return showOrder(ctx, order.id)
}

/** What the order comes to with other lines or in another currency; undefined when it stays as it is. */
async function reprice(ctx: Ctx, order: Order, lines: LineInput[] | undefined, currency: string) {
  const rounding = order.tax_rounding
  if (lines) return priceLines(ctx, lines, currency, rounding)
  if (currency !== order.currency) return computeTotals(await storedLines(ctx, order.id), currency, rounding)
}

/** draft → sent; the order's date is today's where none was chosen (PO-23). Sends no mail. */
export async function send(ctx: Ctx, order: Order) {
  const status = lifecycle.check('send', order.status)
  await move(ctx, order, status, { order_date: order.order_date ?? ctx.today(), sent_at: ctx.now })
  return showOrder(ctx, order.id)
}

export async function cancel(ctx: Ctx, order: Order) {
  await move(ctx, order, lifecycle.check('cancel', order.status))
  return showOrder(ctx, order.id)
}

/** Saves a new status and says so in the timeline, once for every move, whichever route made it (PO-36). */
export async function move(ctx: Ctx, order: Order, status: Status, also: Partial<Order> = {}) {
  const saved = orders.save(ctx, order, { status, ...also })
  await together(saved, logActivity(ctx, orders, order.id, 'status_changed', { from: order.status, to: status }))
}
