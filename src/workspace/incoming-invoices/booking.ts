/** Books an incoming invoice as an expense, of its order if it has one, or explains why it can't be booked. */

import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { updateRecord } from '#kernel/records/saving.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { type Decimal, decimal, isCurrency, minorUnits } from '#kernel/values/money.ts'
import { createDraftExpense, isLiveExpense, supersedeExpense } from '#workspace/expenses/public.ts'
import { billOrder, refuseBilling, unbillOrder } from '#workspace/purchase-orders/public.ts'
import { depositsOf, releaseDeposits, settleDeposits } from './deposits.ts'
import { type Incoming, type InvoiceNumber, IS_HERE, incoming, standing } from './incoming-invoices.ts'
import { lifecycle } from './lifecycle.ts'
import { ownSale } from './own-sales.ts'
import type { InvoiceData } from './reading/invoice-data.ts'
import { MatchInvoice } from './schema.ts'

const dataOf = (row: Incoming) => row.data as unknown as InvoiceData

/** Returns why it can't become an expense; undefined if it can. */
export function hindrance({
  kind,
  total,
  tax_total,
  currency,
}: Pick<Incoming, 'kind' | 'total' | 'tax_total' | 'currency'>): string | undefined {
  if (kind === 'credit_note' || decimal(total).lt(0)) return 'It takes money off; close it once it is dealt with.'
  if (decimal(tax_total).lt(0) || decimal(tax_total).gt(total)) return 'Its tax is no part of its total.'
  if (!isCurrency(currency)) return `There is no currency ${currency}.`
  const places = minorUnits(currency)
  const isFine = [total, tax_total].some((amount) => !decimal(amount).round(places).eq(amount))
  return isFine ? `${currency} has ${places} decimals, and its amounts have more.` : undefined
}

/** Whether an invoice's expense was deleted, even if only into the trash: the invoice can then be processed again. */
export const isTakenBack = async (ctx: Ctx, { status, expense_id }: Incoming) =>
  status === 'booked' && (expense_id === null || !(await isLiveExpense(ctx, expense_id)))

/** Detaches the deleted expense of an invoice that is processed again, so that restoring the expense can't duplicate it. */
export async function letGo(ctx: Ctx, { id, expense_id }: Incoming) {
  if (expense_id === null) return
  await releaseDeposits(ctx, id)
  if (ctx.entitled('purchase-orders')) await unbillOrder(ctx, expense_id)
  await supersedeExpense(ctx, expense_id)
}

/** Returns the invoice's order if purchase orders are installed. */
const orderIdOf = (ctx: Ctx, { purchase_order_id }: Incoming) => (ctx.entitled('purchase-orders') ? purchase_order_id : null)

/**
 * 422 on `status` if it is already processed, on `total` if it can't become an expense, on `seller_name` if it is the workspace's
 * own sale. 403 if it would bill an order that the actor may not see or may not convert.
 */
export async function refuseBooking(ctx: Ctx, row: Incoming) {
  if (!(await isTakenBack(ctx, row))) lifecycle.check('book', row.status)
  const hindered = hindrance(row)
  if (hindered) throw invalid({ total: hindered })
  const own = await ownSale(ctx, dataOf(row))
  if (own) throw invalid({ seller_name: own })
  const orderId = orderIdOf(ctx, row)
  if (orderId !== null) await refuseBilling(ctx, orderId, row.expense_id)
}

/**
 * Creates the draft expense, dated by the day of issue, and returns its id; the order's expense if the order can still be billed.
 * A final invoice is booked less its deposits.
 */
export async function book(ctx: Ctx, row: Incoming): Promise<number> {
  await letGo(ctx, row)
  const data = dataOf(row)
  const { found, total, tax, isDeductible } = await depositsOf(ctx, row, data)
  const deducted = isDeductible ? { deposits: found, total, tax } : { deposits: [], total: decimal(0), tax: decimal(0) }
  const draft = {
    title: `${row.seller_name} ${row.number}`.slice(0, 255).toWellFormed(),
    amount: decimal(row.total).minus(deducted.total).toFixed(),
    tax_amount: decimal(row.tax_total).minus(deducted.tax).toFixed(),
    deposit_amount: deducted.total.toFixed(),
    ...amountsBeside(data),
    expense_date: row.issue_date,
    assigned_to: ctx.actor.id,
    notes: null,
    ...{ currency: row.currency, vendor_id: row.vendor_id },
  }
  const orderId = orderIdOf(ctx, row)
  const ofOrder = orderId === null ? undefined : await billOrder(ctx, orderId, draft)
  const expense_id = ofOrder ?? (await createDraftExpense(ctx, { ...draft, purchase_order_id: null }))
  if (row.status === 'booked') await incoming.save(ctx, row, { expense_id })
  else await lifecycle.move(ctx, incoming, row, 'book', { expense_id })
  await settleDeposits(ctx, row.id, deducted.deposits)
  await logActivity(ctx, incoming, row.id, 'booked', { expense_id })
  return expense_id
}

/**
 * Amounts of the invoice that aren't part of its total but of the amount due. MINIMUM only contains the amount due: the rest was
 * prepaid.
 */
function amountsBeside({ totals, profile, third_party_payments = [] }: InvoiceData) {
  const { total, due, prepaid, rounding } = totals
  const unsaid = profile === 'minimum' && due !== null ? decimal(total).minus(due) : decimal(0)
  const third = third_party_payments.reduce((sum: Decimal, { amount }) => sum.plus(amount ?? 0), decimal(0))
  return {
    prepaid_amount: (prepaid === null ? unsaid : decimal(prepaid)).round(4).toFixed(),
    rounding_amount: decimal(rounding ?? 0)
      .round(4)
      .toFixed(),
    third_party_amount: third.round(4).toFixed(),
  }
}

/** 422 on `status` if it is already processed. */
export async function refuseRematch(ctx: Ctx, row: Incoming) {
  const { status } = row
  if (status !== 'received' && !(await isTakenBack(ctx, row)))
    throw invalid({ status: `Only received invoices can be changed; this one is ${status}.` })
}

/** Sets the vendor and the order of an invoice. */
export async function rematch(ctx: Ctx, row: Incoming, body: z.output<typeof MatchInvoice>) {
  const isOther = body.vendor_id !== undefined && body.vendor_id !== row.vendor_id
  const matched = isOther ? { vendor_matched_by: body.vendor_id === null ? null : ('user' as const) } : {}
  await updateRecord(ctx, incoming, MatchInvoice, row, { ...body, ...matched })
}

/** 422 on `status` if it is already processed. */
export async function refuseRejection(ctx: Ctx, row: Incoming) {
  if (!(await isTakenBack(ctx, row))) lifecycle.check('reject', row.status)
}

/** Rejects an invoice; a booked one is detached from its deleted expense. */
export async function reject(ctx: Ctx, row: Incoming, reason: string) {
  await letGo(ctx, row)
  const rejected = { rejection_reason: reason, expense_id: null }
  if (row.status === 'booked') await lifecycle.move(ctx, incoming, row, 'reject_booked', rejected)
  else await lifecycle.move(ctx, incoming, row, 'reject', rejected)
  await logActivity(ctx, incoming, row.id, 'rejected', { reason })
}

/** 422 on `status` unless it is closed or rejected, on `file` of a rejected one if its number has been received again since. */
export async function refuseReopening(ctx: Ctx, row: Incoming) {
  lifecycle.check('reopen', row.status)
  if (row.status === 'rejected' && (await standing(ctx, calledOf(row)))) throw invalid({ file: IS_HERE })
}

const calledOf = (row: Incoming): InvoiceNumber => ({ ...row, type_code: dataOf(row).type_code })

export const reopen = (ctx: Ctx, row: Incoming) => lifecycle.move(ctx, incoming, row, 'reopen', { rejection_reason: null })
