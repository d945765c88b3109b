/** Places of stock: a product in a warehouse. A transaction that posts holds its places exclusively until it ends. */
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import { type Decimal, decimal } from '#kernel/values/money.ts'

interface Place {
  product_id: number
  warehouse_id: number
}

/** Stock on hand by place, and the id of its row. */
export type Balances = Map<string, { level: number; on_hand: Decimal }>
export const placeOf = ({ product_id, warehouse_id }: Place) => `${product_id} in ${warehouse_id}`

type Named = Place & { fields?: { product_id?: string; warehouse_id?: string } }

/** Reads the current stock on hand of places; without a lock it may change at any moment. Rejects like `lockPlaces`. */
export const readPlaces = (ctx: Ctx, named: Named[]) => balancesOf(ctx, named, { hold: sql``, levels: readLevels })

/**
 * Locks places and returns their stock on hand. 422 on `product_id` for a product without stock tracking, on `warehouse_id` for a
 * closed warehouse. Places are always locked in the same order, which prevents deadlocks.
 */
export const lockPlaces = (ctx: Ctx, named: Named[]) =>
  // The products and warehouses can't be changed or deleted meanwhile: FOR KEY SHARE and FOR UPDATE exclude each other.
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

/** Returns the ids of tracked products or open warehouses. */
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

/** Locks the balances of places for this transaction and returns them; creates missing ones. */
export async function lockLevels({ tx, tenant, now }: Ctx, places: Place[]): Promise<Balances> {
  const named = places.map(({ product_id, warehouse_id }) => ({ product_id, warehouse_id }))
  // DO UPDATE instead of DO NOTHING: it locks an existing row and returns its latest state.
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
