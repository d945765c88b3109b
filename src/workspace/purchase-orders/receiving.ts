/** Receives an order: a partial receipt is only recorded, a complete one adds the goods to stock (PO-24 … PO-26, PO-29). */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { emit } from '#kernel/modules/events.ts'
import { checkReferences } from '#kernel/records/references.ts'
import { postStock, stockIsOn } from '#workspace/inventory/public.ts'
import { defaultWarehouse } from '#workspace/warehouses/public.ts'
import { lifecycle } from './lifecycle.ts'
import { type Order, orders } from './orders.ts'
import { ReceiveOrder } from './schema.ts'

export async function receive(ctx: Ctx, order: Order, body: z.output<typeof ReceiveOrder>) {
  await checkReferences(ctx, ReceiveOrder, body)
  await (body.status === 'received' ? receiveWholly(ctx, order, body.warehouse_id) : receivePartly(ctx, order))
}

export const receivePartly = (ctx: Ctx, order: Order) => lifecycle.move(ctx, orders, order, 'receive_partially')

/** Receives an order into the given warehouse, or the default one. */
export async function receiveWholly(ctx: Ctx, order: Order, warehouseId?: number | null) {
  await lifecycle.move(ctx, orders, order, 'receive')
  if (stockIsOn(ctx)) await bringIn(ctx, order, warehouseId)
  await emit(ctx, 'purchase_order.received', { purchase_order_id: order.id })
}

/** Posts stock-in once for each line with a stock-tracked product. */
async function bringIn(ctx: Ctx, order: Order, warehouseId: number | null | undefined) {
  const lines = await ctx
    .from('purchase_order_lines as l')
    .innerJoin('products as p', (join) => join.on('p.tenant_id', '=', ctx.tenant.id).onRef('p.id', '=', 'l.product_id'))
    .select(['l.id', 'p.id as product_id', 'l.quantity'])
    .where('l.purchase_order_id', '=', order.id)
    .where('p.track_stock', '=', true)
    .orderBy('l.id')
    .execute()
  if (!lines.length) return
  const warehouse_id = warehouseId ?? (await defaultWarehouse(ctx)).id
  await postStock(
    ctx,
    lines.map(({ id: line_id, product_id, quantity }) => ({
      product_id,
      warehouse_id,
      type: 'in',
      quantity,
      reference: { type: 'purchase_orders', id: order.id, number: order.number, line_id },
    })),
  )
}
