/** Functions about expenses for other modules. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { categoryFor } from './categories.ts'
import { expenses } from './expenses.ts'

export { ExpenseDetail } from './schema.ts'

/** Texts and amounts of a purchase order or an incoming invoice, copied unchanged (PO-46). */
export interface DraftExpense {
  title: string
  amount: string
  tax_amount: string
  currency: string
  vendor_id: number | null
  assigned_to: number | null
  notes: string | null
  purchase_order_id: number | null
  /** Default: today. */
  expense_date?: string
  /** Amounts of the original invoice outside of its total; default zero. */
  prepaid_amount?: string
  rounding_amount?: string
  third_party_amount?: string
  deposit_amount?: string
}

/**
 * Creates the draft of a purchase order or an incoming invoice, in the category Other (PO-46). 422 on `purchase_order` if that
 * has an expense already (PO-49).
 */
export async function createDraftExpense(ctx: Ctx, copied: DraftExpense): Promise<number> {
  const category_id = await categoryFor(ctx, null)
  const draft = await expenses.insert(ctx, { expense_date: ctx.today(), ...copied, category_id })
  return draft.id
}

/** Whether an expense exists and isn't in the trash. */
export const isLiveExpense = async (ctx: Ctx, id: number) =>
  !!(await ctx.from('expenses').select('id').where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst())

/**
 * Marks a deleted expense as superseded: it can't be restored, and its order can be converted again. 422 on `status` of a live
 * one.
 */
export async function supersedeExpense(ctx: Ctx, id: number) {
  const gone = ctx.update('expenses').set({ is_superseded: true, purchase_order_id: null }).where('id', '=', id)
  if (!(await gone.where('deleted_at', 'is not', null).returning('id').executeTakeFirst()))
    throw invalid({ status: `Expense ${id} was restored meanwhile.` })
}

/** The expense's detail view without permission checks, for the caller that has just created it. */
export const showExpense = expenses.renderUnscoped

/** Returns the expense of a purchase order, even if it is soft-deleted (PO-14, PO-49). */
export async function expenseOfPurchaseOrder(ctx: Ctx, purchaseOrderId: number): Promise<number | null> {
  const expense = await ctx.from('expenses').select('id').where('purchase_order_id', '=', purchaseOrderId).executeTakeFirst()
  return expense?.id ?? null
}
