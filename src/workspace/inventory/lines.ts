/** The lines of a transfer, in the order in which they were sent. */
import type { Ctx } from '#kernel/context.ts'
import type { LineInput } from './schema.ts'

export const childrenOf = (lines: LineInput[]) => ({
  field: 'lines',
  table: 'stock_transfer_lines' as const,
  by: 'transfer_id',
  rows: lines,
})

export const linesOf = (ctx: Ctx, transferId: number) =>
  ctx
    .from('stock_transfer_lines')
    .select(['id', 'product_id', 'quantity'])
    .where('transfer_id', '=', transferId)
    .orderBy('id')
    .execute()
