/** Completing a transfer: its stock leaves one warehouse and comes to the other, at once and only once (INVT-12). */
import type { Ctx } from '#kernel/context.ts'
import { postStock } from './ledger.ts'
import { lifecycle } from './lifecycle.ts'
import { linesOf } from './lines.ts'
import { type StoredTransfer, transfers } from './transfers.ts'

/** Two movements for each line. 422 on `lines.0.quantity` where more would leave than is there. */
export async function complete(ctx: Ctx, transfer: StoredTransfer) {
  await lifecycle.move(ctx, transfers, transfer, 'complete')
  const { id, number, from_warehouse_id: from, to_warehouse_id: to } = transfer
  const lines = await linesOf(ctx, id)
  const movements = lines.flatMap(({ id: line_id, product_id, quantity }, n) => {
    const moved = { product_id, quantity, reference: { type: 'stock_transfers', id, number, line_id } }
    const fields = { product_id: `lines.${n}.product_id`, quantity: `lines.${n}.quantity` }
    return [
      { ...moved, type: 'transfer_out', warehouse_id: from, fields: { ...fields, warehouse_id: 'from_warehouse_id' } },
      { ...moved, type: 'transfer_in', warehouse_id: to, fields: { ...fields, warehouse_id: 'to_warehouse_id' } },
    ] as const
  })
  await postStock(ctx, movements)
}
