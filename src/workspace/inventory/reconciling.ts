/**
 * Compares balances with their movements, and recomputes them. Atrium never lets them drift; manual changes in the database can.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { decimal } from '#kernel/values/money.ts'
import { tellChanges } from './events.ts'
import { lockLevels, placeOf } from './places.ts'

/** A balance that isn't the sum of its movements. */
export interface Drift {
  product_id: number
  warehouse_id: number
  sku: string
  warehouse: string
  on_hand: string
  /** Sum of the movements. */
  moved: string
}

const PRODUCTS = 1000

/** Yields the workspace's drifted balances, a batch of products at a time. Each product is compared in one snapshot. */
export async function* drifts(ctx: Ctx, products = PRODUCTS): AsyncGenerator<Drift[]> {
  for (let done = 0; ; ) {
    const { rows: batch } = await sql<{ id: number }>`
      select id from products where tenant_id = ${ctx.tenant.id} and id > ${done} order by id limit ${products}`.execute(ctx.tx)
    const last = batch.at(-1)?.id
    if (!last) return
    const found = await driftsBetween(ctx, done, last)
    if (found.length) yield found
    done = last
  }
}

/** Compares products above one id and up to another. A place without a level has no stock. */
async function driftsBetween({ tx, tenant }: Ctx, above: number, upTo: number) {
  const { rows } = await sql<Drift>`
    with levels as (
      select product_id, warehouse_id, on_hand from stock_levels
      where tenant_id = ${tenant.id} and product_id > ${above} and product_id <= ${upTo}
    ), sums as (
      select product_id, warehouse_id, sum(change) as moved from stock_movements
      where tenant_id = ${tenant.id} and product_id > ${above} and product_id <= ${upTo} group by 1, 2
    ), places as (
      select product_id, warehouse_id, coalesce(on_hand, 0) as on_hand, coalesce(moved, 0) as moved
      from levels full join sums using (product_id, warehouse_id)
    )
    select d.product_id, d.warehouse_id, p.sku, w.name as warehouse, trim_scale(d.on_hand) as on_hand, trim_scale(d.moved) as moved
    from places d
    join products p on p.tenant_id = ${tenant.id} and p.id = d.product_id
    join warehouses w on w.tenant_id = ${tenant.id} and w.id = d.warehouse_id
    where d.on_hand <> d.moved order by d.product_id, d.warehouse_id`.execute(tx)
  return rows
}

/** Sets balances to the sums of their movements, under their locks. */
export async function rebuild(ctx: Ctx, places: Drift[]) {
  const balances = await lockLevels(ctx, places)
  const named = places.map(({ product_id, warehouse_id }) => ({ product_id, warehouse_id }))
  const { rows } = await sql<{ id: number; product_id: number; warehouse_id: number; on_hand: string }>`
    update stock_levels set on_hand = (
      select coalesce(sum(m.change), 0) from stock_movements m
      where m.tenant_id = ${ctx.tenant.id} and m.product_id = stock_levels.product_id and m.warehouse_id = stock_levels.warehouse_id)
    from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as place (product_id bigint, warehouse_id bigint)
    where stock_levels.tenant_id = ${ctx.tenant.id}
      and stock_levels.product_id = place.product_id and stock_levels.warehouse_id = place.warehouse_id
    returning id, stock_levels.product_id, stock_levels.warehouse_id, on_hand`.execute(ctx.tx)
  await tellChanges(
    ctx,
    rows.map(({ id: level, on_hand, ...place }) => {
      const before = balances.get(placeOf(place))!.on_hand
      return { ...place, level, type: 'rebuilt' as const, before, balance: decimal(on_hand) }
    }),
  )
}
