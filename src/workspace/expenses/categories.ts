/** Categories of expenses: an ordered lookup table, in which Other can't be removed. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { lookupRoutes } from '#kernel/http/lookup-routes.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { view } from '#kernel/records/view.ts'
import { text, wholeNumber } from '#kernel/values/fields.ts'

const CreateCategory = z.object({
  name: text(100),
  is_active: z.boolean().default(true),
  sort_order: wholeNumber(0, 1_000_000).default(100),
})

const Category = view('expense_categories', 'ExpenseCategory', {
  id: z.int(),
  name: z.string(),
  is_active: z.boolean(),
  is_other: z.boolean().describe('Whether expenses without a category get it; it can’t be deleted.'),
  sort_order: z.int(),
})

const categories = lookupTable({
  table: 'expense_categories',
  noun: 'category',
  item: Category,
  unique: { expense_categories_name: { name: 'Another category has this name.' } },
})

export const categoryRoutes = lookupRoutes(categories, '/categories', {
  list: listing(categories, { order: { by: ['sort_order', 'name'] }, hardDeleted: true }),
  body: CreateCategory,
  allow: { view: 'expenses.view', create: 'expenses.create', update: 'expenses.update', delete: 'expenses.delete' },
  async update(ctx, category, body) {
    if (category.is_other && body.is_active === false)
      throw invalid({ is_active: 'The category for everything else stays in use.' })
    await categories.save(ctx, category, body)
  },
  async remove(ctx, category) {
    if (category.is_other) throw invalid({ category: 'The category for everything else cannot be deleted.' })
    await categories.remove(ctx, category)
  },
})

type CategoryId = Row<'expense_categories'>['id']

/** Returns the category to store: the sent one, which must be active (422 on `category_id`), or Other. */
export async function categoryFor(ctx: Ctx, sent: number | null | undefined): Promise<CategoryId> {
  const all = ctx.from('expense_categories').select('id')
  const wanted = sent == null ? all.where('is_other', '=', true) : all.where('id', '=', sent).where('is_active', '=', true)
  const category = await wanted.executeTakeFirst()
  if (!category) throw invalid({ category_id: 'There is no such active expense category in this workspace.' })
  return category.id
}
