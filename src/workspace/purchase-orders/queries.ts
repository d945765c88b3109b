/** Reading purchase orders: the list, the detail view, the counts. Each is one statement. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { nameRef, userRef } from '#kernel/records/embed.ts'
import { filter, type ListQuery, listing } from '#kernel/records/listing.ts'
import { latestNote, notesOf } from '#kernel/records/notes.ts'
import { resource } from '#kernel/records/resource.ts'
import { activitiesOf, describe } from '#kernel/records/timeline.ts'
import { toNumber } from '#kernel/values/money.ts'
import { STATUSES, type Status } from './lifecycle.ts'
import type { OrderDetail, OrderItem, OrderStats } from './schema.ts'

export const orders = resource({
  table: 'purchase_orders',
  noun: 'purchase order',
  assign: 'purchase-orders.assign',
  tallied: ['status', 'assigned_to'],
  decimals: ['subtotal', 'tax_total', 'total'],
  sentences: {
    converted: ({ expense_id }: { expense_id: number }) => `Converted to expense ${expense_id}`,
  },
})

/** PO-19. */
export const orderList = listing(orders, {
  sorts: ['created_at', 'updated_at', 'number', 'title', 'status', 'total', 'order_date', 'expected_date'],
  search: true,
  filters: {
    status: filter.oneOf('status', STATUSES),
    vendor_id: filter.id('vendor_id'),
    assigned_to: filter.assignee(),
    my_purchase_orders: filter.mine(),
  },
})

const selectOrders = (ctx: Ctx) =>
  ctx.tx
    .selectFrom('purchase_orders')
    .selectAll('purchase_orders')
    .select([
      nameRef('purchase_orders', 'vendor_id', 'vendors').as('vendor'),
      userRef('purchase_orders', 'assigned_to').as('assignee'),
      userRef('purchase_orders', 'created_by').as('creator'),
      latestNote('purchase_orders').as('latest_note'),
    ])

const linesOf = sql<z.input<typeof OrderDetail>['lines']>`(
  select coalesce(json_agg(json_build_object('id', l.id, 'description', l.description, 'quantity', l.quantity, 'unit_price', l.unit_price,
    'tax_rate', l.tax_rate, 'sort_order', l.sort_order, 'product_id', l.product_id, 'line_total', l.net, 'tax_amount', l.tax,
    'product', (select json_build_object('id', p.id, 'sku', p.sku, 'name', p.name) from products p where p.tenant_id = l.tenant_id and p.id = l.product_id)
  ) order by l.sort_order, l.id), '[]')
  from purchase_order_lines l where l.tenant_id = purchase_orders.tenant_id and l.purchase_order_id = purchase_orders.id)`

type Amounts = { subtotal: string; tax_total: string; total: string }

const present = <O extends Amounts>(order: O) => ({
  ...order,
  subtotal: toNumber(order.subtotal),
  tax_total: toNumber(order.tax_total),
  total: toNumber(order.total),
})

export async function listOrders(ctx: Ctx, query: ListQuery): Promise<{ rows: z.input<typeof OrderItem>[]; total: number }> {
  const { rows, total } = await orderList.page(ctx, query, selectOrders)
  return { rows: rows.map(present), total }
}

/** The detail view, also of a record that was just deleted. The caller has made sure that the actor may see it. */
export async function showOrder(ctx: Ctx, id: number): Promise<z.input<typeof OrderDetail>> {
  const order = await selectOrders(ctx)
    .select([
      linesOf.as('lines'),
      notesOf('purchase_orders').as('note_entries'),
      activitiesOf('purchase_orders').as('activities'),
    ])
    .where('purchase_orders.tenant_id', '=', ctx.tenant.id)
    .where('purchase_orders.id', '=', id)
    .executeTakeFirstOrThrow()
  return { ...present(order), activities: describe(orders.sentences, order.activities) }
}

export async function orderStats(ctx: Ctx, query: ListQuery): Promise<z.input<typeof OrderStats>> {
  const counted = await orderList.counts(ctx, query)
  const of = (status: Status) => counted.find((row) => row.status === status)?.total ?? 0
  return {
    total_purchase_orders: counted.reduce((sum, row) => sum + row.total, 0),
    my_purchase_orders: counted.reduce((sum, row) => sum + row.mine, 0),
    draft: of('draft'),
    sent: of('sent'),
    partially_received: of('partially_received'),
    received: of('received'),
    cancelled: of('cancelled'),
    scope: ctx.can('purchase-orders.assign') ? 'org' : 'mine',
  }
}
