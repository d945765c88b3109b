/** Exports for other modules. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'

/** Returns the default warehouse, used where none is given (INVT-05); 422 on `warehouse_id` when there is none. */
export async function defaultWarehouse(ctx: Ctx) {
  if (!ctx.entitled('warehouses')) throw invalid({ warehouse_id: 'The module Warehouses is not installed in this workspace.' })
  const standard = await ctx
    .from('warehouses')
    .select(['id', 'name', 'code'])
    .where('is_active', '=', true)
    .where('deleted_at', 'is', null)
    .where('is_default', '=', true)
    .executeTakeFirst()
  if (!standard) throw invalid({ warehouse_id: 'This workspace has no default warehouse: name one, or make one the default.' })
  return standard
}
