/** The stock ledger: what is on hand changes only here, and every change leaves a movement that says why. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { violationOf } from '#kernel/database/violations.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import { type Decimal, decimal } from '#kernel/values/money.ts'

const signs = { in: 1, transfer_in: 1, out: -1, transfer_out: -1 } as const

export interface Movement {
  product_id: number
  warehouse_id: number
  type: keyof typeof signs
  /** A decimal above 0 with at most 6 places; the type gives the sign. */
  quantity: string
  notes?: string | null
  /** The document behind it. A line of one posts once for each type. */
  reference?: { type: string; id: number; number: string | null; line_id?: number }
  /** The input that a refusal names, `lines.0.quantity`; `quantity` when not given. */
  field?: string
}

/**
 * Posts movements in the order given: all of them or none. The caller has made sure of products and warehouses.
 * 422 on `quantity` (or the movement's `field`) where more would leave than is there, 409 for a document's line that was posted before.
 */
export async function postStock(ctx: Ctx, movements: Movement[]) {
  if (!movements.length) return
  const levels = await lockLevels(ctx, movements)
  await write(ctx, settle(levels, movements))
}

type Place = Pick<Movement, 'product_id' | 'warehouse_id'>
type Levels = Map<string, Decimal>
const placeOf = ({ product_id, warehouse_id }: Place) => `${product_id} in ${warehouse_id}`

/** On hand wherever the movements reach, from now on for this transaction alone. One order for everybody, or two would wait for each other. */
async function lockLevels(ctx: Ctx, movements: Movement[]): Promise<Levels> {
  const places = movements.map(({ product_id, warehouse_id }) => ({ product_id, warehouse_id }))
  // DO UPDATE and not DO NOTHING: it locks the row that is there and gives its latest state.
  const { rows } = await sql<Place & { on_hand: string }>`
    insert into stock_levels (tenant_id, product_id, warehouse_id, on_hand, updated_at)
    select distinct ${ctx.tenant.id}::bigint, product_id, warehouse_id, 0, ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as place (product_id bigint, warehouse_id bigint)
    order by product_id, warehouse_id
    on conflict (tenant_id, product_id, warehouse_id) do update set updated_at = excluded.updated_at
    returning product_id, warehouse_id, on_hand`.execute(ctx.tx)
  return new Map(rows.map((row) => [placeOf(row), decimal(row.on_hand)]))
}

/** The movements as the ledger stores them, each with the balance that it leaves behind. */
function settle(levels: Levels, movements: Movement[]) {
  const short: Record<string, string> = {}
  const settled = movements.map(({ field = 'quantity', ...movement }) => {
    const place = placeOf(movement)
    const before = levels.get(place)!
    const change = decimal(movement.quantity).times(signs[movement.type])
    const balance = before.plus(change)
    if (balance.lt(0)) short[field] ??= `Only ${before.toFixed()} in stock there, ${change.abs().toFixed()} would leave.`
    else levels.set(place, balance)
    const { reference, ...stored } = movement
    return {
      ...stored,
      change: change.toFixed(),
      balance_after: balance.toFixed(),
      reference_type: reference?.type,
      reference_id: reference?.id,
      reference_line_id: reference?.line_id,
      reference_number: reference?.number,
    }
  })
  if (Object.keys(short).length) throw invalid(short)
  return settled
}

/** Movements and what they add up to, in one statement: on_hand can't drift from its ledger. */
async function write(ctx: Ctx, settled: ReturnType<typeof settle>) {
  await sql`
    with moved as (
      insert into stock_movements (tenant_id, product_id, warehouse_id, type, change, balance_after, notes,
        reference_type, reference_id, reference_line_id, reference_number, actor_id, created_at)
      select ${ctx.tenant.id}, product_id, warehouse_id, type, change, balance_after, notes,
        reference_type, reference_id, reference_line_id, reference_number, ${ctx.actor.id}::bigint, ${ctx.now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(settled)}::jsonb) as movement (product_id bigint, warehouse_id bigint, type text,
        change numeric, balance_after numeric, notes text,
        reference_type text, reference_id bigint, reference_line_id bigint, reference_number text)
      returning product_id, warehouse_id, change
    )
    update stock_levels set on_hand = on_hand + sums.change
    from (select product_id, warehouse_id, sum(change) as change from moved group by 1, 2) sums
    where stock_levels.tenant_id = ${ctx.tenant.id}
      and stock_levels.product_id = sums.product_id and stock_levels.warehouse_id = sums.warehouse_id`
    .execute(ctx.tx)
    .catch((error: unknown) => {
      throw violationOf(error)?.constraint === 'stock_movements_line_once'
        ? conflict('This line has already moved its stock.')
        : error
    })
}
