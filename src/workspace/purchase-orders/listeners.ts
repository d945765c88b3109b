/** An order lets go of the expense that it became when that is deleted for good. */
import { on } from '#kernel/modules/events.ts'

export default [
  on('record.purged', async (ctx, { table, id }) => {
    if (table !== 'expenses') return
    await ctx.tx
      .updateTable('purchase_orders')
      .set({ converted_expense_id: null })
      .where('tenant_id', '=', ctx.tenant.id)
      .where('converted_expense_id', '=', id)
      .execute()
  }),
]
