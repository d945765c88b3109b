/** Initial categories of a workspace: five, of which Other can't be removed, because every expense needs a category. */
import { defineInstallation } from '#kernel/modules/module.ts'

const categories = [
  { name: 'Travel', sort_order: 10, is_other: false },
  { name: 'Office', sort_order: 20, is_other: false },
  { name: 'Software', sort_order: 30, is_other: false },
  { name: 'Utilities', sort_order: 40, is_other: false },
  { name: 'Other', sort_order: 1000, is_other: true },
]

export default defineInstallation({
  version: 1,
  async seed(ctx) {
    const stamps = { tenant_id: ctx.tenant.id, created_at: ctx.now, updated_at: ctx.now }
    await ctx.tx
      .insertInto('expense_categories')
      .values(categories.map((category) => ({ ...category, ...stamps })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },
})
