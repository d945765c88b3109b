/** Converts an order to an expense (PO-44 … PO-49). The order's status stays; one expense an order, soft-deleted ones count. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { emptyReferences } from '#kernel/records/on-purge.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { createDraftExpense, type DraftExpense, expenseOfPurchaseOrder } from '#workspace/expenses/public.ts'
import { type Order, orders } from './orders.ts'

const CONVERTIBLE = ['sent', 'partially_received', 'received']

/**
 * 422 on `status` of an order that wasn't sent, and on `purchase_order` without the Expenses module or if it was already
 * converted.
 */
export async function refuseConversion(ctx: Ctx, order: Order) {
  if (!CONVERTIBLE.includes(order.status))
    throw invalid({ status: `A ${order.status} purchase order cannot be converted; it must have been sent.` })
  if (!ctx.entitled('expenses')) throw invalid({ purchase_order: 'The Expenses module is not available for this workspace.' })
  if (await expenseOfPurchaseOrder(ctx, order.id))
    throw invalid({ purchase_order: `${order.number} was already converted to an expense.` })
}

/** Returns the id of the new draft expense. The order's row is locked, and the database rejects a second expense. */
export async function convert(ctx: Ctx, order: Order): Promise<number> {
  const { id, title, currency, vendor_id, assigned_to, notes, total: amount, tax_total: tax_amount } = order
  return becomeExpense(ctx, order, { title, amount, tax_amount, currency, vendor_id, assigned_to, notes, purchase_order_id: id })
}

async function becomeExpense(ctx: Ctx, order: Order, copied: DraftExpense): Promise<number> {
  const expense_id = await createDraftExpense(ctx, copied)
  await allPipelined(
    orders.save(ctx, order, { converted_expense_id: expense_id }),
    logActivity(ctx, orders, order.id, 'converted', { expense_id }),
  )
  return expense_id
}

/**
 * 403 where an order's bill would create an expense of it, and the actor may not do that or may not see the order. `former` is
 * the expense that it replaces.
 */
export async function refuseBilling(ctx: Ctx, orderId: number, former: number | null) {
  const order = await ctx
    .from('purchase_orders')
    .select(['status', 'deleted_at', sql<boolean>`${orders.scope(ctx) ?? sql`true`}`.as('is_seen')])
    .where('id', '=', orderId)
    .executeTakeFirst()
  if (!isOpen(order)) return
  const expense = await expenseOfPurchaseOrder(ctx, orderId)
  if (expense !== null && expense !== former) return
  ctx.require('purchase-orders.convert')
  if (!order.is_seen) throw forbidden('It is for a purchase order that you may not see; somebody who may has to do this.')
}

/** Returns whether an order's bill may convert it to an expense. */
const isOpen = <O extends Pick<Order, 'status' | 'deleted_at'>>(order: O | undefined): order is O =>
  order?.deleted_at === null && CONVERTIBLE.includes(order.status)

/**
 * Converts an order to a draft expense with the amounts of its bill, assigned to the order's assignee, and returns its id.
 * Undefined where the order can't be converted or already was.
 */
export async function billOrder(ctx: Ctx, orderId: number, billed: Omit<DraftExpense, 'purchase_order_id'>) {
  const order = await ctx.from('purchase_orders').selectAll().where('id', '=', orderId).forUpdate().executeTakeFirst()
  if (!isOpen(order) || (await expenseOfPurchaseOrder(ctx, orderId))) return undefined
  return becomeExpense(ctx, order, {
    ...billed,
    assigned_to: order.assigned_to ?? billed.assigned_to,
    purchase_order_id: orderId,
  })
}

/** Allows the order of this expense to be converted again. */
export const unbillOrder = (ctx: Ctx, expenseId: number) =>
  emptyReferences(ctx, 'purchase_orders', 'converted_expense_id', expenseId)
