/** Demo prices of modules; the others are free. Existing prices stay. */
import { sql } from 'kysely'
import { defineDemo } from '#kernel/demo/parts.ts'

/** Monthly price in the catalogue's currency; a year costs ten times as much. */
const prices = {
  leads: 25,
  invoices: 20,
  inventory: 19,
  'purchase-orders': 15,
  email: 12,
  contracts: 12,
  attendance: 9,
  'short-links': 5,
}

export default defineDemo({
  async fillPlatform(ctx) {
    const rows = Object.entries(prices).map(([key, monthly]) => ({ key, monthly }))
    const { numAffectedRows } = await sql`
      update modules m set is_billable = true, monthly_price = g.monthly, yearly_price = g.monthly * 10, updated_at = ${ctx.now}, revision = m.revision + 1
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(key text, monthly numeric)
      where m.key = g.key and not m.is_default_included and m.monthly_price = 0 and m.yearly_price = 0`.execute(ctx.tx)
    return Number(numAffectedRows ?? 0)
  },
})
