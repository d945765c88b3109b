/** Stock by product and warehouse: the list, its figures, and the movements. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { filter, type ListQuery, listing, Paging, workspaceTable } from '#kernel/records/listing.ts'
import { queryId } from '#kernel/values/fields.ts'
import { StockMovement, StockRow, type StockStats } from './schema.ts'

/**
 * A row for each product and each warehouse that has ever held it, until either is deleted (INVT-19). Triggers count the rows.
 */
export const stockList = listing(
  { ...workspaceTable('stock_levels', StockRow), tallied: [], asked: ['ids', 'updated_since'] },
  {
    search: true,
    hardDeleted: true,
    sorts: ['created_at', 'updated_at', 'sku', 'name', 'on_hand', 'reorder_level', 'is_low'],
    filters: {
      product_id: filter.id('product_id'),
      warehouse_id: filter.id('warehouse_id'),
      low_stock: filter.flag('is_low'),
    },
  },
)

/** INVT-18, with the list's filters. */
export async function stockStats(ctx: Ctx, query: ListQuery): Promise<z.input<typeof StockStats>> {
  const { rows } = await sql<z.input<typeof StockStats>>`
    select count(distinct product_id) filter (where on_hand > 0)::int as total_skus_with_stock,
      count(*) filter (where is_low)::int as low_stock_count, coalesce(sum(on_hand), 0) as total_on_hand
    from stock_levels where ${stockList.condition(ctx, query)}`.execute(ctx.tx)
  return rows[0]!
}

/** Newest first, by id: ids are assigned under the lock of a level, so their order is more reliable than the time. */
export const movementList = listing(workspaceTable('stock_movements', StockMovement), {
  hardDeleted: true,
  sorts: ['created_at'],
  order: { by: ['id'], direction: 'desc' },
  filters: { product_id: filter.id('product_id'), warehouse_id: filter.id('warehouse_id') },
})

/** Query of the movements of a product (INVT-20). */
export const movementQuery = movementList.queryWith({ ...Paging.shape, product_id: queryId() })
