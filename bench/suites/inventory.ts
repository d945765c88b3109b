/** Stock of fifty thousand products, listed and adjusted. */
import { sql } from 'kysely'
import { insertRows } from '#kernel/records/many-rows.ts'
import { aims, type Case, type Filled, type Suite } from '../prepare.ts'

const MOST = 50_000
const stock = '/api/tenant/v1/inventory/stock'

export default {
  title: 'Inventory',
  async cases({ services, workspace, ask, caseOf }, records): Promise<Case[]> {
    const count = Math.min(records, MOST)
    const firm = await workspace(300)
    await fill(firm, count)
    await services.database.statement('VACUUM (ANALYZE)', [])
    const { token } = firm
    const [{ product, warehouse }] = (await ask(token, stock)).json().data
    const many = count.toLocaleString('en')
    const adjustment = { product_id: product.id, warehouse_id: warehouse.id, type: 'in', quantity: 1 }
    const adjust = await caseOf('adjust', 'adjust, everybody the same product', token, `${stock}/adjust`, adjustment)
    const created = { id: adjust.bare.created!.id, sequence: 'stock_movements_id_seq' }
    return [
      { ...(await caseOf('list', `list of 25 among ${many} products`, token, stock)), atLeast: aims.list },
      await caseOf('bySku', 'the same, by SKU', token, `${stock}?sort=sku&direction=asc`),
      await caseOf('low', 'what is low', token, `${stock}?low_stock=true`),
      await caseOf('search', 'search by part of a SKU', token, `${stock}?search=rt-77`),
      await caseOf('stats', 'stats', token, `${stock}/stats`),
      { ...adjust, bare: { ...adjust.bare, created } },
    ]
  },
} satisfies Suite

/** Inserts products, each with stock and its movement in a warehouse; one in twenty is low. */
const fill = ({ id, inside }: Filled, count: number) =>
  inside(async (ctx) => {
    const stamps = { created_at: ctx.now, updated_at: ctx.now }
    const [warehouse] = await insertRows(ctx, 'warehouses', [{ name: 'High bay', code: 'HIGH', ...stamps }])
    const products = Array.from({ length: count }, (_, n) => {
      return { name: `Part no. ${n}`, sku: `PART-${n}`, reorder_level: n % 20 ? '5' : '50', ...stamps }
    })
    await insertRows(ctx, 'products', products)
    await sql`
      insert into stock_levels (tenant_id, product_id, warehouse_id, sku, name, reorder_level, on_hand, created_at, updated_at)
      select tenant_id, id, ${warehouse}, sku, name, reorder_level, 40, created_at, updated_at
      from products where tenant_id = ${id} and sku like 'PART-%'`.execute(ctx.tx)
    await sql`
      insert into stock_movements (tenant_id, product_id, warehouse_id, type, change, balance_after, created_at)
      select tenant_id, product_id, warehouse_id, 'in', on_hand, on_hand, created_at
      from stock_levels where tenant_id = ${id} and warehouse_id = ${warehouse}`.execute(ctx.tx)
    await sql`select app.sum_tallies('stock_levels'), app.sum_tallies('products')`.execute(ctx.tx)
  })
