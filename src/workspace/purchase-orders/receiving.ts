/** Receiving an order: partly is an acknowledgement, wholly brings the goods into stock (PO-24 … PO-26, PO-29). */
import type { Ctx } from '#kernel/context.ts'
import { postStock, stockIsOn } from '#workspace/inventory/public.ts'
import { warehouseFor } from '#workspace/warehouses/public.ts'
import { lifecycle } from './lifecycle.ts'
import { move, type Order } from './orders.ts'
import { showOrder } from './queries.ts'

export async function receive(
  ctx: Ctx,
  order: Order,
  body: { status: 'partially_received' | 'received'; warehouse_id?: number | null },
) {
  const named = body.warehouse_id == null ? undefined : await warehouseFor(ctx, body.warehouse_id)
  const wholly = body.status === 'received'
  await move(ctx, order, lifecycle.check(wholly ? 'receive' : 'receive_partially', order.status))
  if (wholly && stockIsOn(ctx)) await bringIn(ctx, order, named?.id)
  return showOrder(ctx, order.id)
}

/** Posts stock-in once for each line with a stock-tracked product, to the named warehouse or the default one. */
async function bringIn(ctx: Ctx, order: Order, warehouseId: number | undefined) {
  const lines = await ctx.tx
    .selectFrom('purchase_order_lines as l')
    .innerJoin('products as p', (join) => join.onRef('p.tenant_id', '=', 'l.tenant_id').onRef('p.id', '=', 'l.product_id'))
    .select(['l.id', 'p.id as product_id', 'l.quantity'])
    .where('l.tenant_id', '=', ctx.tenant.id)
    .where('l.purchase_order_id', '=', order.id)
    .where('p.track_stock', '=', true)
    .orderBy('l.id')
    .execute()
  if (!lines.length) return
  const warehouse_id = warehouseId ?? (await warehouseFor(ctx)).id
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
