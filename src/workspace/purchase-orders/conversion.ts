/** Making an expense of an order (PO-44 … PO-49). The order's status stays; one expense an order, soft-deleted ones count. */
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import { emptyReferences } from '#kernel/records/on-purge.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { createDraftExpense, type DraftExpense, expenseOfPurchaseOrder } from '#workspace/expenses/public.ts'
import { type Order, orders } from './orders.ts'

const CONVERTIBLE = ['sent', 'partially_received', 'received']

/** What is converted was sent, has an Expenses module to go to, and wasn't converted before: 422 on `status` or `purchase_order` otherwise. */
export async function refuseConversion(ctx: Ctx, order: Order) {
  if (!CONVERTIBLE.includes(order.status))
    throw invalid({ status: `A ${order.status} purchase order cannot be converted; it must have been sent.` })
  if (!ctx.entitled('expenses')) throw invalid({ purchase_order: 'The Expenses module is not available for this workspace.' })
  if (await expenseOfPurchaseOrder(ctx, order.id))
    throw invalid({ purchase_order: `${order.number} was already converted to an expense.` })
}

/** The id of the new draft expense. The order's row is locked, and the database refuses a second expense. */
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
 * The id of the draft expense that an order becomes by the invoice for it, which says what it came to; it is given to whom the order is. Undefined where
 * the order isn't one that becomes an expense, or has become one.
 */
export async function billOrder(ctx: Ctx, orderId: number, billed: Omit<DraftExpense, 'purchase_order_id'>) {
  const order = await ctx.from('purchase_orders').selectAll().where('id', '=', orderId).forUpdate().executeTakeFirst()
  const isOpen = order && order.deleted_at === null && CONVERTIBLE.includes(order.status)
  if (!isOpen || (await expenseOfPurchaseOrder(ctx, orderId))) return undefined
  return becomeExpense(ctx, order, {
    ...billed,
    assigned_to: order.assigned_to ?? billed.assigned_to,
    purchase_order_id: orderId,
  })
}

/** The order that had become this expense may become another one. */
export const unbillOrder = (ctx: Ctx, expenseId: number) =>
  emptyReferences(ctx, 'purchase_orders', 'converted_expense_id', expenseId)
