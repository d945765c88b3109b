/** Voids and deletes invoices, and stops series. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { emit } from '#kernel/modules/events.ts'
import { referable } from '#kernel/modules/subjects.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { decimal } from '#kernel/values/money.ts'
import { type Invoice, invoices } from './invoices.ts'
import { lifecycle } from './lifecycle.ts'
import { latestUnpaid, type StopRecurrence } from './schema.ts'

/** draft or unpaid → cancelled, if nothing was paid or credited on it (INV-38, INV-49). Voiding the root ends its series. */
export async function voidInvoice(ctx: Ctx, invoice: Invoice) {
  const { id, recurrence_status } = invoice
  refuseVoiding(ctx, invoice)
  await lifecycle.move(ctx, invoices, invoice, 'void', recurrence_status === null ? {} : { recurrence_status: 'ended' })
  await logActivity(ctx, invoices, id, 'voided')
  if (recurrence_status === 'active') await logActivity(ctx, invoices, id, 'recurrence_stopped', { reason: 'voided' })
  await emit(ctx, 'invoice.voided', { invoice_id: id })
}

/** An invoice with payments or credits can't be deleted, because it affects balances. */
export const refuseDeletion = (_: Ctx, invoice: Invoice) => refuseSettled(invoice, 'deleting')
/** Nor can it be voided. */
export const refuseVoiding = (_: Ctx, invoice: Invoice) => refuseSettled(invoice, 'voiding')

function refuseSettled({ number, amount_paid, amount_credited }: Invoice, doing: 'voiding' | 'deleting') {
  if (decimal(amount_paid).gt(0) || decimal(amount_credited).gt(0))
    throw invalid({ status: `Payments or credits were applied to ${number}; void or unapply them before ${doing} it.` })
}

/** 422 on `recurrence_status` unless it is the root of an active series. */
export function refuseWithoutSeries(_: Ctx, { number, recurrence_status }: Invoice) {
  if (recurrence_status !== 'active')
    throw invalid({ recurrence_status: `${number} is not the first invoice of an active series.` })
}

/** active → ended; the root and paid invoices stay (INV-44, INV-47). */
export async function stopRecurrence(ctx: Ctx, root: Invoice, { void_latest_unpaid }: z.output<typeof StopRecurrence>) {
  await invoices.save(ctx, root, { recurrence_status: 'ended' })
  await logActivity(ctx, invoices, root.id, 'recurrence_stopped', { reason: 'stopped' })
  if (void_latest_unpaid) await voidLatest(ctx, root)
}

/** INV-46. 422 on `void_latest_unpaid` if the actor may not see the latest unpaid invoice; does nothing if there is none. */
async function voidLatest(ctx: Ctx, root: Invoice) {
  const [latest] = (await latestUnpaid(ctx, root.id, { ofAll: true }).execute(ctx.tx)).rows
  if (!latest) return
  ctx.require('invoices.void')
  if (!(await referable(ctx, 'invoice', [latest.id])).size)
    throw invalid({ void_latest_unpaid: 'You may not see the latest unpaid invoice of this series, so you can’t void it.' })
  await voidInvoice(ctx, await invoices.lock(ctx, latest.id))
}
