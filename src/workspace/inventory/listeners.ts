/**
 * A product of which something lies in a warehouse is not deleted and stays tracked; a warehouse in which something lies is not closed:
 * nobody could count it or take it out any more. When they go, the empty levels go with them; the movements stay.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { on } from '#kernel/modules/events.ts'
import { tellDeletions } from './events.ts'

/** Refuses while something lies there; then nothing does, and the levels go. */
async function clear(ctx: Ctx, where: RawBuilder<unknown>, refusal: Record<string, string>) {
  const levels = sql`stock_levels where tenant_id = ${ctx.tenant.id} and ${where}`
  const { rows } = await sql`select from ${levels} and on_hand > 0 limit 1`.execute(ctx.tx)
  if (rows.length) throw invalid(refusal)
  const gone = await sql<{ id: number; name: string }>`delete from ${levels} returning id, name`.execute(ctx.tx)
  await tellDeletions(ctx, gone.rows)
}

const clearProduct = (ctx: Ctx, product_id: number, field: string) =>
  clear(ctx, sql`product_id = ${product_id}`, { [field]: 'Some of this product is in stock: take it out first.' })

const clearWarehouse = (ctx: Ctx, warehouse_id: number, field: string) =>
  clear(ctx, sql`warehouse_id = ${warehouse_id}`, { [field]: 'There is stock in this warehouse: move it out first.' })

export default [
  on('product.deleted', (ctx, { product_id }) => clearProduct(ctx, product_id, 'product')),
  on('product.untracked', (ctx, { product_id }) => clearProduct(ctx, product_id, 'track_stock')),
  on('warehouse.deleted', (ctx, { warehouse_id }) => clearWarehouse(ctx, warehouse_id, 'warehouse')),
  on('warehouse.deactivated', (ctx, { warehouse_id }) => clearWarehouse(ctx, warehouse_id, 'is_active')),
]
