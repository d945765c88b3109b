/** Public catalogue data. */
import type { BaseCtx } from '#kernel/context.ts'

/** Maximum number of modules: more than a page could show. */
const MAX = 500

export type PublishedModule = Awaited<ReturnType<typeof publishedModules>>[number]

/** Returns the published modules by name, with their prices: included in all workspaces, free, or the price. */
export async function publishedModules(ctx: BaseCtx) {
  const rows = await ctx.tx
    .selectFrom('modules as m')
    .leftJoin('module_categories as c', 'c.id', 'm.category_id')
    .select(['m.key', 'm.name', 'm.description', 'm.version', 'c.name as category', 'm.availability', 'm.requires'])
    .select(['m.monthly_price', 'm.yearly_price', 'm.currency', 'm.is_default_included', 'm.is_billable'])
    .where('m.status', '=', 'published')
    .where('m.deleted_at', 'is', null)
    .orderBy('m.name')
    .orderBy('m.id')
    .limit(MAX)
    .execute()
  return rows.map(({ is_default_included, is_billable, ...module }) => {
    const costs = is_billable && [module.monthly_price, module.yearly_price].some((price) => Number(price) > 0)
    const pricing: 'included' | 'paid' | 'free' = is_default_included ? 'included' : costs ? 'paid' : 'free'
    return { ...module, pricing }
  })
}
