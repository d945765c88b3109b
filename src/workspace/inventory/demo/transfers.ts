/** Demo transfers of received goods from the default warehouse to the others, with a status that fits their age. */
import type { Ctx } from '#kernel/context.ts'
import type { Plan } from '#kernel/demo/parts.ts'
import { type Entry, insertRecords, insertTimeline, takeNumbers } from '#kernel/demo/stories.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import type { lifecycle } from '../lifecycle.ts'

/** A delivery of which a part is moved to another warehouse. */
export interface MovedOn {
  at: string
  lines: { product_id: number; quantity: string }[]
}

type Status = (typeof lifecycle.states)[number]

/** Outcomes of transfers, and their frequency. */
const fates: { often: number; path: Status[] }[] = [
  { often: 80, path: ['in_transit', 'completed'] },
  { often: 8, path: ['in_transit'] },
  { often: 6, path: [] },
  { often: 3, path: ['cancelled'] },
  { often: 3, path: ['in_transit', 'cancelled'] },
]

const reasons = {
  en: ['For the market stalls', 'Needs cooling', 'Makes room for the new range'],
  de: ['Für den Laden', 'Platz für die neue Ernte', 'Ersatzteile für die Werkstatt'],
}

export async function makeTransfers(ctx: Ctx, plan: Plan, deliveries: MovedOn[]) {
  const warehouses = await ctx
    .from('warehouses')
    .select('id')
    .where('is_active', '=', true)
    .where('deleted_at', 'is', null)
    .orderBy('is_default', 'desc')
    .orderBy('id')
    .execute()
  const [from_warehouse_id, ...others] = warehouses.map(({ id }) => id)
  const drawn = deliveries
    .flatMap((delivery) => drawOne(plan, delivery) ?? [])
    .sort((a, b) => (a.state.created_at < b.state.created_at ? -1 : 1))
  if (!from_warehouse_id || !others.length || !drawn.length) return
  const first = await takeNumbers(ctx, 'stock_transfers', drawn.length)
  const rows = drawn.map(({ state }, n) => ({
    ...state,
    number: `TRF-${String(first + n).padStart(5, '0')}`,
    from_warehouse_id,
    to_warehouse_id: plan.random.pick(others),
    notes: plan.random.happens(0.5) ? plan.random.pick(plan.say(reasons)) : null,
  }))
  const ids = await insertRecords(ctx, 'stock_transfers', rows)
  const of = <R>(each: (one: (typeof drawn)[number]) => R[]) =>
    drawn.flatMap((one, n) => each(one).map((row) => ({ id: ids[n]!, ...row })))
  const lines = of((one) => one.lines).map(({ id: transfer_id, ...line }) => ({ transfer_id, ...line }))
  await insertRows(ctx, 'stock_transfer_lines', lines)
  await insertTimeline(
    ctx,
    'stock_transfers',
    of((one) => one.timeline),
  )
}

/** Returns a transfer that began after the delivery; undefined if it would be in the future. */
function drawOne({ random, calendar, people }: Plan, { at, lines }: MovedOn) {
  let day = calendar.dayOf(at) + random.between(0.1, 3)
  const created_at = calendar.instant(day)
  if (!created_at) return undefined
  const created_by = random.pick(people).id
  const state = { status: 'draft' as Status, created_by, created_at, updated_at: created_at, revision: 1 }
  const timeline: Entry[] = []
  for (const to of random.often(fates).path) {
    const moved = calendar.instant((day += random.between(0.1, 3)))
    if (!moved) break
    timeline.push({ type: 'status_changed', properties: { from: state.status, to }, at: moved, by: created_by })
    Object.assign(state, { status: to, updated_at: moved, revision: state.revision + 1 })
  }
  return { state, lines, timeline }
}
