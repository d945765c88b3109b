/**
 * Payments and credits on invoices (INV-39 … INV-41). Callers that post a payment or apply a credit lock the invoices first, with
 * `lockInvoices`; the table's CHECK keeps every balance at zero or above.
 */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { emit } from '#kernel/modules/events.ts'
import { saveTold } from '#kernel/records/changes.ts'
import type { Changed } from '#kernel/records/timeline.ts'
import { decimal, formatAmount } from '#kernel/values/money.ts'
import { type Invoice, invoices } from './invoices.ts'
import { lifecycle } from './lifecycle.ts'

/** Locks invoices in order of their ids, so that two payments over the same ones never deadlock. */
export async function lockInvoices(ctx: Ctx, ids: number[]): Promise<Map<number, Invoice>> {
  if (!ids.length) return new Map()
  const rows = await ctx.from('invoices').selectAll().where('id', 'in', ids).orderBy('id').forUpdate().execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Adds to the paid and credited amounts of a locked invoice; negative amounts reverse. An unpaid invoice without balance due
 * becomes paid, a paid one with a balance due becomes unpaid again. The caller must check first that the balance allows it.
 */
export async function settle(ctx: Ctx, invoice: Invoice, { paid = '0', credited = '0' }: { paid?: string; credited?: string }) {
  const amount_paid = decimal(invoice.amount_paid).plus(paid).toFixed()
  const amount_credited = decimal(invoice.amount_credited).plus(credited).toFixed()
  const amounts = { amount_paid, amount_credited }
  const isSettled = decimal(invoice.total).minus(amount_paid).minus(amount_credited).eq(0)
  if (invoice.status === 'unpaid' && isSettled) return becomePaid(ctx, invoice, amounts)
  if (invoice.status === 'paid' && !isSettled)
    return lifecycle.move(ctx, invoices, invoice, 'reopen', amounts, shownChange(invoice, { status: 'unpaid', amount_paid }))
  return saveTold(ctx, invoices, invoice, amounts, shownChange(invoice, { amount_paid }))
}

/** Change of the view's `display_status`, which is derived from stored columns. */
function shownChange(invoice: Invoice, changes: Partial<Invoice>): Changed {
  const [before, after] = [shownStatus(invoice), shownStatus({ ...invoice, ...changes })]
  return before === after ? {} : { display_status: [before, after] }
}
const shownStatus = ({ status, amount_paid }: Invoice) => (status === 'unpaid' && decimal(amount_paid).gt(0) ? 'partial' : status)

async function becomePaid(ctx: Ctx, invoice: Invoice, amounts?: Pick<Invoice, 'amount_paid' | 'amount_credited'>) {
  const paid = await lifecycle.move(ctx, invoices, invoice, 'settle', amounts, shownChange(invoice, { status: 'paid' }))
  await emit(ctx, 'invoice.paid', { invoice_id: invoice.id })
  return paid
}

/** unpaid → paid by POST /status, e.g. of an invoice with a total of zero. */
export const settleByHand = (ctx: Ctx, invoice: Invoice) => becomePaid(ctx, invoice)

/** 422 on `status` while there is a balance due. */
export function refuseWhileDue(_: Ctx, { status, balance_due, currency }: Invoice) {
  if (status === 'unpaid' && decimal(balance_due).gt(0))
    throw invalid({
      status: `${formatAmount(balance_due, currency)} ${currency} is still due; an invoice becomes paid by its payments.`,
    })
}
