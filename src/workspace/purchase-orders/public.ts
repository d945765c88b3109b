/** What other modules may ask of purchase orders. */
import type { Ctx } from '#kernel/context.ts'

export { billOrder, unbillOrder } from './conversion.ts'

/** The live order of a number, as an invoice names it. */
export const orderNumbered = (ctx: Ctx, number: string) =>
  ctx
    .from('purchase_orders')
    .select(['id', 'number', 'status', 'vendor_id', 'currency', 'total', 'converted_expense_id'])
    .where('number', '=', number.trim())
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
