/**
 * A product with stock can't be deleted and stays tracked; a warehouse with stock can't be closed: nobody could count or remove
 * the stock any more. Their empty levels are deleted with them; the movements stay.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { on } from '#kernel/modules/events.ts'
import { tellDeletions } from './events.ts'

/** The levels to be deleted, and the error while one of them has stock. */
interface Place {
  where: RawBuilder<unknown>
  refusal: Record<string, string>
}

const levelsOf = (ctx: Ctx, { where }: Place) => sql`stock_levels where tenant_id = ${ctx.tenant.id} and ${where}`

async function refuseStocked(ctx: Ctx, place: Place) {
  const { rows } = await sql`select from ${levelsOf(ctx, place)} and on_hand > 0 limit 1`.execute(ctx.tx)
  if (rows.length) throw invalid(place.refusal)
}

/** Rejects while there is stock; otherwise deletes the levels. */
async function clear(ctx: Ctx, place: Place) {
  await refuseStocked(ctx, place)
  const gone = await sql<{ id: number; name: string }>`delete from ${levelsOf(ctx, place)} returning id, name`.execute(ctx.tx)
  await tellDeletions(ctx, gone.rows)
}

const product = (id: number, field: string): Place => ({
  where: sql`product_id = ${id}`,
  refusal: { [field]: 'Some of this product is in stock: take it out first.' },
})

const warehouse = (id: number, field: string): Place => ({
  where: sql`warehouse_id = ${id}`,
  refusal: { [field]: 'There is stock in this warehouse: move it out first.' },
})

export default [
  on('product.deleting', (ctx, { product_id }) => refuseStocked(ctx, product(product_id, 'product'))),
  on('product.deleted', (ctx, { product_id }) => clear(ctx, product(product_id, 'product'))),
  on('product.untracked', (ctx, { product_id }) => clear(ctx, product(product_id, 'track_stock'))),
  on('warehouse.deleting', (ctx, { warehouse_id }) => refuseStocked(ctx, warehouse(warehouse_id, 'warehouse'))),
  on('warehouse.deleted', (ctx, { warehouse_id }) => clear(ctx, warehouse(warehouse_id, 'warehouse'))),
  on('warehouse.deactivated', (ctx, { warehouse_id }) => clear(ctx, warehouse(warehouse_id, 'is_active'))),
]
