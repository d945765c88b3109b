/** Products. Their own rules: among those not deleted a SKU names one, and documents name only active ones (PO-13). */
import { sql } from 'kysely'
import { filter, listing } from '#kernel/records/listing.ts'
import { resource } from '#kernel/records/resource.ts'
import { Product } from './schema.ts'

export const products = resource({
  table: 'products',
  module: 'products',
  noun: 'product',
  item: Product,
  tallied: [],
  needs: 'products.view',
  usable: (as) => sql`${sql.ref(`${as}.is_active`)}`,
  unique: { products_sku: { sku: 'Another product of this workspace has this SKU.' } },
})

export const productList = listing(products, {
  search: true,
  filters: { is_active: filter.flag('is_active'), track_stock: filter.flag('track_stock') },
})
