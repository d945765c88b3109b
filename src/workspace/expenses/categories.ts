/** Categories of expenses. A workspace has five from the start; Other stays, because what fits nowhere needs a place. */
import type { Selectable } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'

import { violationOf } from '#kernel/database/violations.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { changedFields, refuseTaken } from '#kernel/records/resource.ts'
import type { CreateCategory, UpdateCategory } from './schema.ts'
import type { ExpenseCategories } from './tables.ts'

type CategoryRow = Selectable<ExpenseCategories>

const seeds = [
  { name: 'Travel', sort_order: 10 },
  { name: 'Office', sort_order: 20 },
  { name: 'Software', sort_order: 30 },
  { name: 'Utilities', sort_order: 40 },
  { name: 'Other', sort_order: 1000, is_other: true },
]

/** The id of Other. On the workspace's first use it makes the categories; whoever comes at the same time finds them made. */
export async function seedCategories(ctx: Ctx) {
  const other = ctx.tx
    .selectFrom('expense_categories')
    .select('id')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('is_other', '=', true)
  const found = await other.executeTakeFirst()
  if (found) return found.id
  await ctx.tx
    .insertInto('expense_categories')
    .values(seeds.map((seed) => ({ is_other: false, ...seed, ...stamps(ctx) })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await other.executeTakeFirstOrThrow()).id
}

/** The category to store: the one sent, which must be active (422 on `category_id`), or Other. */
export async function categoryFor(ctx: Ctx, sent: number | null | undefined) {
  if (sent == null) return seedCategories(ctx)
  const category = await ctx.tx
    .selectFrom('expense_categories')
    .select('id')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', sent)
    .where('is_active', '=', true)
    .executeTakeFirst()
  if (!category) throw invalid({ category_id: 'There is no such active expense category in this workspace.' })
  return category.id
}

/** By `sort_order`, then name. */
export async function listCategories(ctx: Ctx, { page, per_page }: { page: number; per_page: number }) {
  await seedCategories(ctx)
  const all = ctx.tx.selectFrom('expense_categories').where('tenant_id', '=', ctx.tenant.id)
  const [rows, { total }] = await Promise.all([
    all
      .selectAll()
      .orderBy('sort_order')
      .orderBy('name')
      .limit(per_page)
      .offset((page - 1) * per_page)
      .execute(),
    all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { rows, total }
}

/** 404 outside the workspace. */
export async function lockCategory(ctx: Ctx, id: number): Promise<CategoryRow> {
  const category = await ctx.tx
    .selectFrom('expense_categories')
    .selectAll()
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!category) throw notFound('There is no such expense category.')
  return category
}

/** 422 on `name` when it is taken. */
export async function createCategory(ctx: Ctx, body: z.output<typeof CreateCategory>) {
  await seedCategories(ctx)
  return ctx.tx
    .insertInto('expense_categories')
    .values({ ...body, ...stamps(ctx) })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(refuseTakenName)
}

/** 422 on `name` when it is taken, on `is_active` when Other should go out of use. */
export async function updateCategory(ctx: Ctx, category: CategoryRow, body: z.output<typeof UpdateCategory>) {
  if (category.is_other && body.is_active === false)
    throw invalid({ is_active: 'The category for everything else stays in use.' })
  const changes = changedFields<Partial<CategoryRow>>(category, body)
  if (!Object.keys(changes).length) return category
  return ctx.tx
    .updateTable('expense_categories')
    .set((eb) => ({ ...changes, updated_at: ctx.now, revision: eb('revision', '+', 1) }))
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', category.id)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(refuseTakenName)
}

/** 422 on `category` for Other, and for one that an expense has, be the expense deleted or not. */
export async function deleteCategory(ctx: Ctx, category: CategoryRow) {
  if (category.is_other) throw invalid({ category: 'The category for everything else cannot be deleted.' })
  await ctx.tx
    .deleteFrom('expense_categories')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', category.id)
    .execute()
    .catch((error: unknown) => {
      throw violationOf(error)?.kind === 'foreign_key' ? invalid({ category: 'This category is still used by expenses.' }) : error
    })
}

const stamps = (ctx: Ctx) => ({ tenant_id: ctx.tenant.id, created_at: ctx.now, updated_at: ctx.now })

const refuseTakenName = refuseTaken({ expense_categories_name: { name: 'Another category has this name.' } })
