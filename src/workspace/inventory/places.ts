/** Where stock lies: a product in a warehouse. Whoever posts has the places to itself until its transaction ends. */
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import { type Decimal, decimal } from '#kernel/values/money.ts'

interface Place {
  product_id: number
  warehouse_id: number
}

/** What is on hand, by place, and the row that says so. */
export type Balances = Map<string, { level: number; on_hand: Decimal }>
export const placeOf = ({ product_id, warehouse_id }: Place) => `${product_id} in ${warehouse_id}`

type Named = Place & { fields?: { product_id?: string; warehouse_id?: string } }

/** What is on hand in the places that are named, now: without a lock it may be otherwise in a moment. Refuses as `lockPlaces` does. */
export const readPlaces = (ctx: Ctx, named: Named[]) => balancesOf(ctx, named, { hold: sql``, levels: readLevels })

/**
 * Locks the places that are named and answers what is on hand there. 422 on `product_id` for a product whose stock isn't kept,
 * on `warehouse_id` for a closed warehouse. Everybody locks in one order, or two would wait for each other.
 */
export const lockPlaces = (ctx: Ctx, named: Named[]) =>
  // Nobody changes or deletes what takes part meanwhile: FOR KEY SHARE waits for, and keeps off, FOR UPDATE.
  balancesOf(ctx, named, { hold: sql`for key share`, levels: lockLevels })

interface Reading {
  hold: RawBuilder<unknown>
  levels(ctx: Ctx, places: Place[]): Promise<Balances>
}

async function balancesOf(ctx: Ctx, named: Named[], { hold, levels }: Reading): Promise<Balances> {
  const [tracked, open, balances] = await allPipelined(
    participants(ctx, 'products', ids(named, 'product_id'), sql`track_stock`, hold),
    participants(ctx, 'warehouses', ids(named, 'warehouse_id'), sql`is_active and deleted_at is null`, hold),
    levels(ctx, named),
  )
  const refused: Record<string, string> = {}
  for (const { product_id, warehouse_id, fields } of named) {
    if (!tracked.has(product_id)) refused[fields?.product_id ?? 'product_id'] = 'Stock of this product is not kept.'
    if (!open.has(warehouse_id)) refused[fields?.warehouse_id ?? 'warehouse_id'] = 'This warehouse is closed.'
  }
  if (Object.keys(refused).length) throw invalid(refused)
  return balances
}

const ids = (places: Place[], of: keyof Place) => [...new Set(places.map((place) => place[of]))]

/** Those that take part in stock. */
async function participants(
  ctx: Ctx,
  table: 'products' | 'warehouses',
  ids: number[],
  takesPart: RawBuilder<unknown>,
  hold: RawBuilder<unknown>,
) {
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(table)} where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[]) and ${takesPart}
    order by id ${hold}`.execute(ctx.tx)
  return new Set(rows.map(({ id }) => id))
}

async function readLevels({ tx, tenant }: Ctx, places: Place[]): Promise<Balances> {
  const { rows } = await sql<Place & { id: number; on_hand: string }>`
    select id, product_id, warehouse_id, on_hand from stock_levels where tenant_id = ${tenant.id}
      and product_id = any(${ids(places, 'product_id')}::bigint[])
      and warehouse_id = any(${ids(places, 'warehouse_id')}::bigint[])`.execute(tx)
  const none = places.map((place) => ({ ...place, id: 0, on_hand: '0' }))
  return balances([...none, ...rows])
}

/** The balances of the places, which are made where there are none yet, from now on for this transaction alone. */
export async function lockLevels({ tx, tenant, now }: Ctx, places: Place[]): Promise<Balances> {
  const named = places.map(({ product_id, warehouse_id }) => ({ product_id, warehouse_id }))
  // DO UPDATE and not DO NOTHING: it locks the row that is there and gives its latest state.
  const { rows } = await sql<Place & { id: number; on_hand: string }>`
    insert into stock_levels (tenant_id, product_id, warehouse_id, sku, name, reorder_level, on_hand, created_at, updated_at)
    select distinct ${tenant.id}::bigint, p.id, w.id, p.sku, p.name, p.reorder_level, 0, ${now}::timestamptz, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as place (product_id bigint, warehouse_id bigint)
    join products p on p.tenant_id = ${tenant.id} and p.id = place.product_id
    join warehouses w on w.tenant_id = ${tenant.id} and w.id = place.warehouse_id
    order by p.id, w.id
    on conflict (tenant_id, product_id, warehouse_id) do update set updated_at = greatest(stock_levels.updated_at, excluded.updated_at)
    returning id, product_id, warehouse_id, on_hand`.execute(tx)
  return balances(rows)
}

const balances = (rows: (Place & { id: number; on_hand: string })[]): Balances =>
  new Map(rows.map((row) => [placeOf(row), { level: row.id, on_hand: decimal(row.on_hand) }]))
