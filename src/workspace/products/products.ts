/** Products. Their own rule: among those not deleted, a SKU names one product of the workspace. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { userRef } from '#kernel/records/embed.ts'
import { filter, type ListQuery, listing } from '#kernel/records/listing.ts'
import { type Row, resource, revise } from '#kernel/records/resource.ts'
import { type CreateProduct, present, type UpdateProduct } from './schema.ts'

export const products = resource({
  table: 'products',
  noun: 'product',
  tallied: [],
  decimals: ['unit_price', 'tax_rate', 'reorder_level'],
  unique: { products_sku: { sku: 'Another product of this workspace has this SKU.' } },
})

export const productList = listing(products, {
  sorts: ['created_at', 'updated_at', 'name', 'sku', 'unit_price'],
  search: true,
  filters: { is_active: filter.flag('is_active'), track_stock: filter.flag('track_stock') },
})

const selectProducts = (ctx: Ctx) =>
  ctx.tx.selectFrom('products').selectAll('products').select(userRef('products', 'created_by').as('creator'))

export async function listProducts(ctx: Ctx, query: ListQuery) {
  const { rows, total } = await productList.page(ctx, query, selectProducts)
  return { rows: rows.map(present), total }
}

/** One product as the API shows it. The caller has made sure that the actor may see it. */
export async function showProduct(ctx: Ctx, id: number) {
  const one = selectProducts(ctx).where('products.tenant_id', '=', ctx.tenant.id).where('products.id', '=', id)
  return present(await one.executeTakeFirstOrThrow())
}

/** 422 on `sku` when it is taken. */
export async function createProduct(ctx: Ctx, body: z.output<typeof CreateProduct>) {
  const { id } = await products.insert(ctx, body)
  return showProduct(ctx, id)
}

/** 422 on `sku` when it is taken. */
export async function updateProduct(ctx: Ctx, product: Row<'products'>, body: z.output<typeof UpdateProduct>) {
  await revise(ctx, products, product, body)
  return showProduct(ctx, product.id)
}
