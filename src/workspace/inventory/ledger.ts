/** The stock ledger: stock on hand only changes here, and every change has a movement with its reason. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { violationOf } from '#kernel/database/violations.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import { type Decimal, decimal } from '#kernel/values/money.ts'
import { singular } from '#kernel/values/words.ts'
import { tellChanges } from './events.ts'
import { type Balances, lockPlaces, placeOf, readPlaces } from './places.ts'

/** Maximum stock of a product in one place: with six decimals, a JSON number still represents it exactly. */
const MAX = 999_999_999

/** Stock on hand after a movement of each type (INVT-02); an adjustment sets it (INVT-04). */
const after: Record<Movement['type'], (before: Decimal, quantity: string) => Decimal> = {
  in: (before, quantity) => before.plus(quantity),
  transfer_in: (before, quantity) => before.plus(quantity),
  out: (before, quantity) => before.minus(quantity),
  transfer_out: (before, quantity) => before.minus(quantity),
  adjust: (_, quantity) => decimal(quantity),
}

export interface Movement {
  product_id: number
  warehouse_id: number
  type: 'in' | 'out' | 'adjust' | 'transfer_in' | 'transfer_out'
  /** A decimal with at most 6 places: above 0; for an adjustment the new stock, 0 or more. */
  quantity: string
  notes?: string | null
  /** Document that caused the movement, by its table. A line of it posts once for each type. */
  reference?: { type: string; id: number; number: string | null; line_id?: number }
  /** Input fields named in errors (`lines.0.quantity`), if they differ from the names here. */
  fields?: { product_id?: string; warehouse_id?: string; quantity?: string }
}

/**
 * Posts movements in the given order, all or none; returns their ids. 422 on `product_id` for a product without stock tracking,
 * on `warehouse_id` for a closed warehouse, on `quantity` if more would be removed than is on hand; 409 for a document's line
 * that was already posted.
 */
export async function postStock(ctx: Ctx, movements: Movement[]): Promise<number[]> {
  if (!movements.length) return []
  const balances = await lockPlaces(ctx, movements)
  const settled = settle(balances, movements)
  const [ids] = await allPipelined(write(ctx, settled), tellChanges(ctx, settled))
  return ids
}

/** Throws what `postStock` would throw for these movements by the current stock; locks and writes nothing. */
export async function refuseUnpostable(ctx: Ctx, movements: Movement[]) {
  settle(await readPlaces(ctx, movements), movements)
}

/** Returns the movements as stored, each with its resulting balance. */
function settle(balances: Balances, movements: Movement[]) {
  const refused: Record<string, string> = {}
  const settled = movements.map(({ fields, reference, quantity, ...movement }) => {
    const place = placeOf(movement)
    const { level, on_hand: before } = balances.get(place)!
    const balance = after[movement.type](before, quantity)
    const wrong = refusal(before, balance)
    if (wrong) refused[fields?.quantity ?? 'quantity'] ??= wrong
    else balances.set(place, { level, on_hand: balance })
    return {
      ...movement,
      level,
      before,
      balance,
      change: balance.minus(before).toFixed(),
      balance_after: balance.toFixed(),
      reference_type: reference && singular(reference.type), // the kind of record, as in replies
      reference_id: reference?.id,
      reference_line_id: reference?.line_id,
      reference_number: reference?.number,
    }
  })
  if (Object.keys(refused).length) throw invalid(refused)
  return settled
}

function refusal(before: Decimal, balance: Decimal) {
  if (balance.lt(0)) return `Only ${before.toFixed()} in stock there, ${before.minus(balance).toFixed()} would leave.`
  if (balance.gt(MAX)) return `There would be ${balance.toFixed()} in stock there, and at most ${MAX} can be.`
}

/** Inserts movements and updates levels in one statement: on_hand can't drift from its ledger. */
async function write(ctx: Ctx, settled: ReturnType<typeof settle>) {
  const { rows } = await sql<{ id: number }>`
    with moved as (
      insert into stock_movements (tenant_id, product_id, warehouse_id, type, change, balance_after, notes,
        reference_type, reference_id, reference_line_id, reference_number, actor_id, created_at)
      select ${ctx.tenant.id}, product_id, warehouse_id, type, change, balance_after, notes,
        reference_type, reference_id, reference_line_id, reference_number, ${ctx.actor.id}::bigint, ${ctx.now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(settled)}::jsonb) as movement (product_id bigint, warehouse_id bigint, type text,
        change numeric, balance_after numeric, notes text,
        reference_type text, reference_id bigint, reference_line_id bigint, reference_number text)
      returning id, product_id, warehouse_id, change
    ), levelled as (
      update stock_levels set on_hand = on_hand + sums.change
      from (select product_id, warehouse_id, sum(change) as change from moved group by 1, 2) sums
      where stock_levels.tenant_id = ${ctx.tenant.id}
        and stock_levels.product_id = sums.product_id and stock_levels.warehouse_id = sums.warehouse_id
    )
    select id from moved order by id`
    .execute(ctx.tx)
    .catch((error: unknown) => {
      throw violationOf(error)?.constraint === 'stock_movements_line_once'
        ? conflict('This line has already moved its stock.')
        : error
    })
  return rows.map(({ id }) => id)
}
