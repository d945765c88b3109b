/** The lines of a transfer, in the order in which they were sent. */
import type { Ctx } from '#kernel/context.ts'
import type { LineInput } from './schema.ts'

export const childrenOf = (lines: LineInput[]) => ({
  field: 'lines',
  table: 'stock_transfer_lines' as const,
  by: 'transfer_id',
  rows: lines,
})

/** Puts the lines in place of those that the transfer had. */
export async function replaceLines(ctx: Ctx, transfer_id: number, lines: LineInput[]) {
  await ctx.tx
    .deleteFrom('stock_transfer_lines')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('transfer_id', '=', transfer_id)
    .execute()
  const rows = lines.map((line) => ({ ...line, tenant_id: ctx.tenant.id, transfer_id }))
  await ctx.tx.insertInto('stock_transfer_lines').values(rows).execute()
}

export const linesOf = (ctx: Ctx, transferId: number) =>
  ctx.tx
    .selectFrom('stock_transfer_lines')
    .select(['id', 'product_id', 'quantity'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('transfer_id', '=', transferId)
    .orderBy('id')
    .execute()
