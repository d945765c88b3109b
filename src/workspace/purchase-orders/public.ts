/** Exports for other modules. */
import { type SqlBool, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { orders } from './orders.ts'

export { billOrder, refuseBilling, unbillOrder } from './conversion.ts'

/** Returns the live order with this number; undefined also where the actor may not see it. */
export const orderNumbered = async (ctx: Ctx, number: string) =>
  ctx.can('purchase-orders.view')
    ? ctx
        .from('purchase_orders')
        .select(['id', 'number', 'status', 'vendor_id', 'currency', 'total', 'converted_expense_id'])
        .where('number', '=', number.trim())
        .where('deleted_at', 'is', null)
        .where(orders.scope(ctx) ?? sql<SqlBool>`true`)
        .executeTakeFirst()
    : undefined
