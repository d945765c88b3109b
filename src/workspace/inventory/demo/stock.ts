/** Demo stock movements of the received orders and later events. Written last, because balances depend on time. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { type MovedOn, makeTransfers } from './transfers.ts'

export default defineDemo({
  after: ['purchase-orders'],
  async fill(ctx, plan) {
    await makeLevels(ctx)
    await makeTransfers(ctx, plan, await movedOn(ctx))
    return postMovements(ctx, plan)
  },
})

/**
 * Creates a level of 0 for each product in each warehouse. Committed and analysed before any movement: foreign key checks use
 * cached plans, and one made for an empty table uses an index scan that reads a third of it each time.
 */
async function makeLevels({ services, tenant, now }: Ctx) {
  await services.database.workspace(tenant.id, 'write', (tx) =>
    sql`
      insert into stock_levels (tenant_id, product_id, warehouse_id, sku, name, reorder_level, on_hand, created_at, updated_at)
      select p.tenant_id, p.id, w.id, p.sku, p.name, case when w.is_default then p.reorder_level else 0 end, 0, p.created_at, ${now}
      from products p join warehouses w on w.tenant_id = p.tenant_id
      where p.tenant_id = ${tenant.id} and p.track_stock and p.deleted_at is null and w.is_active and w.deleted_at is null order by p.id, w.id
      on conflict do nothing returning 1`.execute(tx),
  )
  // Also the tables that the movements are derived from: statistics that only know other workspaces estimate this one as empty,
  // and its orders would be joined with its lines one by one.
  await services.database.statement('ANALYZE stock_levels, products, activities, purchase_orders, purchase_order_lines', [])
}

/** Stocked lines of received orders. Two thirds of the orders are for the default warehouse. */
const received = ({ tenant }: Ctx) => sql`
  select l.id as line_id, l.product_id, l.quantity, o.id as order_id, o.number, arrival.actor_id, arrival.created_at as at,
    o.id % 3 < 2 as for_default
  from purchase_orders o
  join activities arrival on arrival.tenant_id = o.tenant_id and arrival.subject_type = 'purchase_orders' and arrival.subject_id = o.id
    and arrival.type = 'status_changed' and arrival.properties ->> 'to' = 'received'
  join purchase_order_lines l on l.tenant_id = o.tenant_id and l.purchase_order_id = o.id
  join products p on p.tenant_id = l.tenant_id and p.id = l.product_id and p.track_stock
  where o.tenant_id = ${tenant.id}`

/** For some orders, half of the stock that isn't removed otherwise is moved to another warehouse. */
async function movedOn(ctx: Ctx) {
  const { rows } = await sql<MovedOn>`
    select at, json_agg(json_build_object('product_id', product_id, 'quantity', floor(quantity / 2)::text) order by line_id) as lines
    from (${received(ctx)}) received
    where order_id % 12 = 4 and line_id % 5 <> 1 and line_id % 65 <> 0 and quantity >= 2
    group by order_id, at order by at, order_id`.execute(ctx.tx)
  return rows
}

/**
 * Books each line of a received order in. From every fifth line some stock is removed again; for a few others a broken piece is.
 */
async function postMovements(ctx: Ctx, { say }: Plan) {
  const { tx, tenant, now } = ctx
  await sql`set local work_mem = '256MB'`.execute(tx)
  const { rows } = await sql<{ posted: number }>`
    with places as (
      select array_agg(id order by is_default desc, id) as ids from warehouses
      where tenant_id = ${tenant.id} and is_active and deleted_at is null
    ), received as (
      select received.*, ids[case when for_default then 1 else 1 + order_id % cardinality(ids) end] as warehouse_id
      from (${received(ctx)}) received cross join places where cardinality(ids) > 0
    ), transferred as (
      select l.id, l.product_id, l.quantity, t.id as transfer_id, t.number, t.created_by, t.updated_at as at, t.from_warehouse_id, t.to_warehouse_id
      from stock_transfers t join stock_transfer_lines l on l.tenant_id = t.tenant_id and l.transfer_id = t.id
      where t.tenant_id = ${tenant.id} and t.status = 'completed'
    ), moves as (
      select line_id, product_id, warehouse_id, 'in' as type, quantity as change, at, actor_id, null as notes,
        'purchase_order' as reference_type, order_id as reference_id, line_id as reference_line_id, number as reference_number
      from received
      union all
      select line_id, product_id, warehouse_id, 'out', -least(quantity, ceil(quantity * (60 + line_id % 41) / 100)),
        at + (1 + line_id % 45) * interval '1 day', actor_id, ${say({ en: 'Picked for customers', de: 'An Kunden ausgeliefert' })}::text, null, null, null, null
      from received where line_id % 5 = 1 and at + (1 + line_id % 45) * interval '1 day' < ${now}
      union all
      select line_id, product_id, warehouse_id, 'adjust', -1, at + interval '3 hours', actor_id, ${say({ en: 'Damaged, written off', de: 'Beschädigt, ausgebucht' })}::text, null, null, null, null
      from received where line_id % 65 = 0 and quantity >= 1 and at + interval '3 hours' < ${now}
      union all
      select id, product_id, from_warehouse_id, 'transfer_out', -quantity, at, created_by, null, 'stock_transfer', transfer_id, id, number from transferred
      union all
      select id, product_id, to_warehouse_id, 'transfer_in', quantity, at, created_by, null, 'stock_transfer', transfer_id, id, number from transferred
    ), moved as (
      insert into stock_movements (tenant_id, product_id, warehouse_id, type, change, balance_after, notes,
        reference_type, reference_id, reference_line_id, reference_number, actor_id, created_at)
      select ${tenant.id}::bigint, product_id, warehouse_id, type, change,
        sum(change) over (partition by product_id, warehouse_id order by at, line_id rows unbounded preceding), notes,
        reference_type, reference_id, reference_line_id, reference_number, actor_id, at
      from moves order by at, line_id
      returning product_id, warehouse_id, change, created_at
    ), sums as (
      select product_id, warehouse_id, sum(change) as change, max(created_at) as at, count(*) as n from moved group by 1, 2
    ), levelled as (
      update stock_levels set on_hand = sums.change, updated_at = sums.at from sums
      where stock_levels.tenant_id = ${tenant.id}
        and stock_levels.product_id = sums.product_id and stock_levels.warehouse_id = sums.warehouse_id
    )
    select coalesce(sum(n), 0)::int as posted from sums`.execute(tx)
  return rows[0]!.posted
}
