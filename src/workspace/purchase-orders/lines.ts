/** The lines of an order. */
import type { Ctx } from '#kernel/context.ts'
import type { computeTotals } from '#workspace/billing-documents/public.ts'
import type { LineInput } from './schema.ts'

type PricedLine = ReturnType<typeof computeTotals<LineInput>>['lines'][number]

/** Lines as they are stored, in the order in which they were sent unless they say otherwise. */
const rowsOf = (lines: PricedLine[]) =>
  lines.map(({ sort_order, product_id = null, ...line }, n) => ({ ...line, product_id, sort_order: sort_order ?? n }))

export const childrenOf = (lines: PricedLine[]) => ({
  field: 'lines',
  table: 'purchase_order_lines' as const,
  by: 'purchase_order_id',
  rows: rowsOf(lines),
})

/** Puts the lines in place of whatever the order had. */
export async function replaceLines(ctx: Ctx, orderId: number, lines: PricedLine[]) {
  await ctx.tx
    .deleteFrom('purchase_order_lines')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('purchase_order_id', '=', orderId)
    .execute()
  if (!lines.length) return
  const rows = rowsOf(lines).map((line) => ({ ...line, tenant_id: ctx.tenant.id, purchase_order_id: orderId }))
  await ctx.tx.insertInto('purchase_order_lines').values(rows).execute()
}

/** The stored lines as they could be sent, to compute them anew in another currency. */
export async function storedLines(ctx: Ctx, orderId: number): Promise<LineInput[]> {
  return ctx.tx
    .selectFrom('purchase_order_lines')
    .select(['description', 'quantity', 'unit_price', 'tax_rate', 'sort_order', 'product_id'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('purchase_order_id', '=', orderId)
    .orderBy('sort_order')
    .orderBy('id')
    .execute()
}
