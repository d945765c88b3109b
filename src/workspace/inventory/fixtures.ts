/** The ledger that follows from the received orders, and what went out since. Written last, for its balances run through time. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { defineDemo } from '#kernel/modules/demo.ts'

export default defineDemo({
  after: ['purchase-orders'],
  async fill(ctx) {
    await makeLevels(ctx)
    return postMovements(ctx)
  },
})

/**
 * A level of 0 for each product in each warehouse. Committed and analysed before anything moves: the foreign key of each movement
 * is checked with a plan made once, and one made for an empty table takes an index that reads a third of it each time.
 */
async function makeLevels({ services, tenant, now }: Ctx) {
  await services.database.workspace(tenant.id, 'write', (tx) =>
    sql`
      insert into stock_levels (tenant_id, product_id, warehouse_id, on_hand, updated_at)
      select p.tenant_id, p.id, w.id, 0, ${now} from products p join warehouses w on w.tenant_id = p.tenant_id
      where p.tenant_id = ${tenant.id} and p.track_stock and w.is_active and w.deleted_at is null`.execute(tx),
  )
  await services.database.statement('ANALYZE stock_levels', [])
}

/** Stock-in for each line of a received order. Of every fifth some leaves again; of others, now and then, a piece breaks. */
async function postMovements({ tx, tenant, now }: Ctx) {
  await sql`set local work_mem = '256MB'`.execute(tx)
  const { rows } = await sql<{ posted: number }>`
    with places as (
      select array_agg(id order by is_default desc, id) as ids from warehouses
      where tenant_id = ${tenant.id} and is_active and deleted_at is null
    ), received as (
      select l.id, l.product_id, l.quantity, o.id as order_id, o.number, arrival.actor_id, arrival.created_at as at,
        -- two orders of three go to the default warehouse
        ids[case when o.id % 3 < 2 then 1 else 1 + o.id % cardinality(ids) end] as warehouse_id
      from purchase_orders o
      cross join places
      join activities arrival on arrival.tenant_id = o.tenant_id and arrival.subject_type = 'purchase_orders' and arrival.subject_id = o.id
        and arrival.type = 'status_changed' and arrival.properties ->> 'to' = 'received'
      join purchase_order_lines l on l.tenant_id = o.tenant_id and l.purchase_order_id = o.id
      join products p on p.tenant_id = l.tenant_id and p.id = l.product_id and p.track_stock
      where o.tenant_id = ${tenant.id} and cardinality(ids) > 0
    ), moves as (
      select id as line_id, product_id, warehouse_id, 'in' as type, quantity as change, at, actor_id, null as notes,
        'purchase_orders' as reference_type, order_id as reference_id, id as reference_line_id, number as reference_number
      from received
      union all
      select id, product_id, warehouse_id, 'out', -least(quantity, ceil(quantity * (60 + id % 41) / 100)), at + (1 + id % 45) * interval '1 day',
        actor_id, 'Picked for customers', null, null, null, null
      from received where id % 5 = 1 and at + (1 + id % 45) * interval '1 day' < ${now}
      union all
      select id, product_id, warehouse_id, 'adjust', -1, at + interval '3 hours', actor_id, 'Damaged, written off', null, null, null, null
      from received where id % 65 = 0 and quantity >= 1 and at + interval '3 hours' < ${now}
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
