/** Purchase orders resource: list, statistics and actions. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { emit } from '#kernel/modules/events.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { createRecord } from '#kernel/records/saving.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { priceNew, updateDraft } from '#workspace/billing-documents/public.ts'
import { lifecycle } from './lifecycle.ts'
import { CreateOrder, OrderDetail, OrderItem, orderLines, UpdateOrder } from './schema.ts'

export type Order = Row<'purchase_orders'>

export const orders = resource({
  table: 'purchase_orders',
  module: 'purchase-orders',
  noun: 'purchase order',
  title: 'number',
  item: OrderItem,
  detail: OrderDetail,
  numberPrefix: 'purchase_orders_number_prefix',
  assign: 'purchase-orders.assign',
  tallied: ['status', 'assigned_to'],
  activityTemplates: {
    converted: ({ expense_id }: { expense_id: number }) => `Converted to expense ${expense_id}`,
  },
})

/** PO-19. */
export const orderList = listing(orders, {
  search: true,
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    vendor_id: filter.id('vendor_id'),
    assigned_to: filter.assignee(),
    my_purchase_orders: filter.mine(),
  },
})

/** PO-20. */
export const orderStats = statsOf('PurchaseOrderStats', orderList, {
  total: 'total_purchase_orders',
  mine: 'my_purchase_orders',
  states: lifecycle.states,
})

/** Creates a draft with the next number (PO-05). */
export const create = (ctx: Ctx, body: z.output<typeof CreateOrder>) =>
  createRecord(ctx, orders, CreateOrder, body, () => priceNew(ctx, orderLines, body))

/** Changes the fields sent; drafts only (PO-21, PO-22). */
export const update = (ctx: Ctx, order: Order, body: z.output<typeof UpdateOrder>) =>
  updateDraft(ctx, orders, { schema: UpdateOrder, lines: orderLines }, order, body)

export async function cancel(ctx: Ctx, order: Order) {
  await lifecycle.move(ctx, orders, order, 'cancel')
  await emit(ctx, 'purchase_order.cancelled', { purchase_order_id: order.id })
}
