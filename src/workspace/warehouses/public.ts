/** What other modules may ask of warehouses. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'

/** The named warehouse, live and active, or the default one when none is named (INVT-05); 422 on `warehouse_id` otherwise. */
export async function warehouseFor(ctx: Ctx, id?: number | null) {
  if (!ctx.entitled('warehouses')) throw invalid({ warehouse_id: 'The module Warehouses is not installed in this workspace.' })
  const usable = ctx.tx
    .selectFrom('warehouses')
    .select(['id', 'name', 'code'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('is_active', '=', true)
    .where('deleted_at', 'is', null)
  if (id == null) {
    const standard = await usable.where('is_default', '=', true).executeTakeFirst()
    if (standard) return standard
    throw invalid({ warehouse_id: 'This workspace has no default warehouse: name one, or make one the default.' })
  }
  const named = await usable.where('id', '=', id).executeTakeFirst()
  if (!named) throw invalid({ warehouse_id: 'There is no such warehouse in this workspace.' })
  return named
}
