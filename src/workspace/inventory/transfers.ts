/** Transfers of stock from one warehouse to another. The stock is moved when the transfer is completed. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { filter, filterOf, listing } from '#kernel/records/listing.ts'
import { type Row, replaceChildren, resource } from '#kernel/records/resource.ts'
import { createRecord, updateRecord } from '#kernel/records/saving.ts'
import { queryId } from '#kernel/values/fields.ts'
import { type Movement, postStock, refuseUnpostable } from './ledger.ts'
import { lifecycle } from './lifecycle.ts'
import { checkProducts } from './products.ts'
import { CreateTransfer, type LineInput, Transfer, TransferDetail, UpdateTransfer } from './schema.ts'

export type StoredTransfer = Row<'stock_transfers'>

export const transfers = resource({
  table: 'stock_transfers',
  module: 'inventory',
  noun: 'transfer',
  title: 'number',
  item: Transfer,
  detail: TransferDetail,
  numbers: { prefix: 'TRF-' },
  tallied: ['status'],
  allow: { create: 'inventory.transfer', update: 'inventory.transfer' }, // INVT-09, INVT-17
})

/** The list of transfers and its filters (INVT-21). */
export const transferList = listing(transfers, {
  search: true,
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    warehouse_id: filterOf({
      schema: queryId(),
      where: (_, id, column) => sql`(${column('from_warehouse_id')} = ${id} or ${column('to_warehouse_id')} = ${id})`,
    }),
  },
})

/** Creates a draft with the next number (INVT-09). */
export const create = (ctx: Ctx, body: z.output<typeof CreateTransfer>) => {
  refuseSameWarehouse(body)
  return createRecord(ctx, transfers, CreateTransfer, body, async () => {
    await checkLines(ctx, body.lines)
    return { children: childrenOf(body.lines) }
  })
}

/** Changes the sent fields; drafts only (INVT-15, INVT-16). */
export async function update(ctx: Ctx, transfer: StoredTransfer, body: z.output<typeof UpdateTransfer>) {
  const { from_warehouse_id = transfer.from_warehouse_id, to_warehouse_id = transfer.to_warehouse_id } = body
  refuseSameWarehouse({ from_warehouse_id, to_warehouse_id })
  if (body.lines) await checkLines(ctx, body.lines)
  await updateRecord(
    ctx,
    transfers,
    UpdateTransfer,
    transfer,
    body,
    {},
    {
      field: 'lines',
      store: () => body.lines && replaceChildren(ctx, transfer.id, childrenOf(body.lines)),
    },
  )
}

const childrenOf = (lines: LineInput[]) => ({
  field: 'lines',
  table: 'stock_transfer_lines' as const,
  by: 'transfer_id',
  rows: lines,
})

/** Only drafts can be soft-deleted (INVT-15, INVT-16). */
export function refuseDeletion(_: Ctx, transfer: StoredTransfer) {
  if (transfer.status !== 'draft') throw invalid({ status: 'Only draft transfers can be deleted. Cancel this one.' })
}

export const dispatch = (ctx: Ctx, transfer: StoredTransfer) => lifecycle.move(ctx, transfers, transfer, 'dispatch')
export const cancel = (ctx: Ctx, transfer: StoredTransfer) => lifecycle.move(ctx, transfers, transfer, 'cancel')

/** 422 on `lines.0.quantity` if more would be removed than is on hand, and on anything else that prevents the movement. */
export async function refuseCompletion(ctx: Ctx, transfer: StoredTransfer) {
  lifecycle.check('complete', transfer.status)
  await refuseUnpostable(ctx, await movementsOf(ctx, transfer))
}

/**
 * Moves the stock from one warehouse to the other, at once and only once (INVT-12): two movements per line, in the order of the
 * lines. 422 on `lines.0.quantity` if more would be removed than is on hand.
 */
export async function complete(ctx: Ctx, transfer: StoredTransfer) {
  await lifecycle.move(ctx, transfers, transfer, 'complete')
  await postStock(ctx, await movementsOf(ctx, transfer))
}

async function movementsOf(ctx: Ctx, transfer: StoredTransfer): Promise<Movement[]> {
  const { id, number, from_warehouse_id: from, to_warehouse_id: to } = transfer
  const lines = await ctx
    .from('stock_transfer_lines')
    .select(['id', 'product_id', 'quantity'])
    .where('transfer_id', '=', id)
    .orderBy('id')
    .execute()
  return lines.flatMap(({ id: line_id, product_id, quantity }, n) => {
    const moved = { product_id, quantity, reference: { type: 'stock_transfers', id, number, line_id } }
    const fields = { product_id: `lines.${n}.product_id`, quantity: `lines.${n}.quantity` }
    return [
      { ...moved, type: 'transfer_out', warehouse_id: from, fields: { ...fields, warehouse_id: 'from_warehouse_id' } },
      { ...moved, type: 'transfer_in', warehouse_id: to, fields: { ...fields, warehouse_id: 'to_warehouse_id' } },
    ] as const
  })
}

/** The two warehouses must differ (INVT-10). */
function refuseSameWarehouse(transfer: { from_warehouse_id: number; to_warehouse_id: number }) {
  if (transfer.from_warehouse_id === transfer.to_warehouse_id)
    throw invalid({ to_warehouse_id: 'Must be another warehouse than the one that it leaves.' })
}

const checkLines = (ctx: Ctx, lines: LineInput[]) =>
  checkProducts(
    ctx,
    lines.map(({ product_id: id }, n) => ({ field: `lines.${n}.product_id`, id })),
  )
