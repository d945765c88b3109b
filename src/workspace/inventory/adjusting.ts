/** Corrects stock by hand (INVT-03 … INVT-06). */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import { checkReferences } from '#kernel/records/references.ts'
import { type JsonText, readOne } from '#kernel/records/view.ts'
import { decimal } from '#kernel/values/money.ts'
import { defaultWarehouse } from '#workspace/warehouses/public.ts'
import { postStock } from './ledger.ts'
import { checkProducts } from './products.ts'
import { AdjustStock, StockMovement } from './schema.ts'

/**
 * Adds to, removes from, or sets the stock on hand; returns the movement. 422 on `quantity` if more would be removed than is on
 * hand.
 */
export async function adjust(ctx: Ctx, body: z.output<typeof AdjustStock>): Promise<JsonText> {
  const { product_id, type, quantity, notes } = body
  if (type !== 'adjust' && decimal(quantity).eq(0)) throw invalid({ quantity: 'Must be above 0.' })
  const [warehouse_id] = await allPipelined(
    body.warehouse_id ? Promise.resolve(body.warehouse_id) : defaultWarehouse(ctx).then(({ id }) => id),
    checkReferences(ctx, AdjustStock, body),
    checkProducts(ctx, [{ field: 'product_id', id: product_id }]),
  )
  const [id] = await postStock(ctx, [{ product_id, warehouse_id, type, quantity, notes }])
  return readOne(
    ctx,
    StockMovement,
    'stock_movements',
    sql`stock_movements.tenant_id = ${ctx.tenant.id} and stock_movements.id = ${id}`,
    {
      noun: 'movement',
    },
  )
}
