/** Products in stock: `is_active` is only about buying and selling a product, not about its stock. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'

/**
 * 422 on the field of each product that doesn't exist or has no stock tracking (INVT-06). Those found can't be deleted until the
 * transaction ends.
 */
export async function checkProducts(ctx: Ctx, named: { field: string; id: number }[]) {
  if (!named.length) return
  const found = await ctx
    .from('products')
    .select(['id', 'track_stock'])
    .where('id', 'in', [...new Set(named.map(({ id }) => id))])
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forKeyShare()
    .execute()
  const tracked = new Map(found.map(({ id, track_stock }) => [id, track_stock]))
  const wrong = named.filter(({ id }) => !tracked.get(id))
  const refusal = (id: number) =>
    tracked.has(id) ? 'Stock of this product is not kept.' : 'There is no such product in this workspace.'
  if (wrong.length) throw invalid(Object.fromEntries(wrong.map(({ field, id }) => [field, refusal(id)])))
}
