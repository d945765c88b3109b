/** Products as stock sees them: whether one is active says whether it is bought and sold, not whether some of it lies on a shelf. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'

/**
 * 422 on the field of each product that isn't there, or whose stock isn't kept (INVT-06). Those found are held: until the transaction
 * ends nobody deletes them.
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
