/** Products resource. A SKU is unique among products that aren't deleted, and documents accept only active ones (PO-13). */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { emit } from '#kernel/modules/events.ts'
import { revise } from '#kernel/records/changes.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Changes, type Row, resource } from '#kernel/records/resource.ts'
import { Product } from './schema.ts'

export const products = resource({
  table: 'products',
  module: 'products',
  noun: 'product',
  item: Product,
  tallied: [],
  usable: (as) => sql`${sql.ref(`${as}.is_active`)}`,
  unique: { products_sku: { sku: 'Another product of this workspace has this SKU.' } },
})

export const productList = listing(products, {
  search: true,
  filters: { is_active: filter.flag('is_active'), track_stock: filter.flag('track_stock') },
})

export async function updateProduct(ctx: Ctx, product: Row<'products'>, body: Changes<'products'>) {
  if (product.track_stock && body.track_stock === false) await emit(ctx, 'product.untracked', { product_id: product.id })
  await revise(ctx, products, product, body)
}

/** Lets other modules reject the deletion of a product in use, with their reason. */
export const refuseDeletion = (ctx: Ctx, { id }: Row<'products'>) => emit(ctx, 'product.deleting', { product_id: id })

export async function removeProduct(ctx: Ctx, product: Row<'products'>) {
  await emit(ctx, 'product.deleted', { product_id: product.id })
  await products.trash(ctx, product)
}
