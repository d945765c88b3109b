/** Deletes received invoices together with their file. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { discardFile } from '#kernel/storage/uploads.ts'
import { countStorage } from '#workspace/storage/public.ts'
import { isTakenBack, letGo } from './booking.ts'
import { type Incoming, incoming } from './incoming-invoices.ts'

/** 422 on `status` if it was booked as an expense, whose receipt it is. */
export async function refuseRemoval(ctx: Ctx, row: Incoming) {
  if (row.status === 'booked' && !(await isTakenBack(ctx, row)))
    throw invalid({ status: 'It became an expense, and is the voucher of that.' })
}

/** Trashed invoices don't count as stored. */
export async function remove(ctx: Ctx, row: Incoming) {
  await letGo(ctx, row)
  if (row.expense_id !== null) await incoming.save(ctx, row, { expense_id: null })
  await incoming.trash(ctx, row)
  await countStorage(ctx, -row.size_bytes, 'incoming_invoice')
}

/**
 * 422 on `file` if the seller has sent another one of the same number since; with the code STORAGE_QUOTA_EXCEEDED if there is no
 * room for it.
 */
export async function restore(ctx: Ctx, row: Incoming) {
  await incoming.restore(ctx, row)
  await countStorage(ctx, row.size_bytes, 'incoming_invoice')
}

export async function purge(ctx: Ctx, row: Incoming) {
  await incoming.force(ctx, row)
  await discardFile(ctx, row.file_key)
}
