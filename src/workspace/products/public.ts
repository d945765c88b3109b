/** What other modules may ask of products. */
import type { Ctx } from '#kernel/context.ts'

interface ProductRef {
  id: number
  sku: string
  name: string
  track_stock: boolean
  is_active: boolean
}

/** Of the given ids the live, active products of the workspace (PO-13), in one query. None while the module is not installed. */
export async function productsFor(ctx: Ctx, ids: number[]): Promise<Map<number, ProductRef>> {
  if (!ids.length || !ctx.entitled('products')) return new Map()
  const found = await ctx.tx
    .selectFrom('products')
    .select(['id', 'sku', 'name', 'track_stock', 'is_active'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', 'in', [...new Set(ids)])
    .where('is_active', '=', true)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(found.map((product) => [product.id, product]))
}
