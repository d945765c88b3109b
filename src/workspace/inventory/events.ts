/** Stock events for API clients: `stock_level.changed`, once for each movement that changes the stock on hand. */
import type { Ctx } from '#kernel/context.ts'
import { eventSubject } from '#kernel/records/event-types.ts'
import { writeActivities } from '#kernel/records/timeline.ts'
import type { Decimal } from '#kernel/values/money.ts'

const { table } = eventSubject({
  table: 'stock_levels',
  module: 'inventory',
  title: 'name',
  allow: 'inventory.view',
  deeds: ['changed', 'force_deleted'],
})

interface Change {
  level: number
  product_id: number
  warehouse_id: number
  /** Type of the movement; `rebuilt` if a drifted balance was recomputed from its movements. */
  type: string
  before: Decimal
  balance: Decimal
  reference_type?: string
  reference_id?: number
  reference_number?: string | null
}

/**
 * Records for each place the stock on hand, the previous stock, and the reason. A count that confirms the stock records nothing.
 */
export const tellChanges = (ctx: Ctx, changes: Change[]) =>
  writeActivities(
    ctx,
    changes
      .filter(({ before, balance }) => !before.eq(balance))
      .map(({ level, product_id, warehouse_id, type, before, balance, ...change }) => {
        const { reference_type, reference_id: id, reference_number: number = null } = change
        const reference = reference_type ? { type: reference_type, id, number } : null
        const properties = { product_id, warehouse_id, reason: type, reference }
        return { table, id: level, type: 'changed', properties, changed: { on_hand: [Number(before), Number(balance)] } }
      }),
  )

/** Records levels that were deleted with their product or warehouse. */
export const tellDeletions = (ctx: Ctx, levels: { id: number; name: string }[]) =>
  writeActivities(
    ctx,
    levels.map(({ id, name: label }) => ({ table, id, type: 'force_deleted', label })),
  )
