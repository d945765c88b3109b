/** Expenses: drafted, approved, paid. Users who may not assign see and change only their own. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Changes, type Row, resource } from '#kernel/records/resource.ts'
import { createRecord, updateRecord } from '#kernel/records/saving.ts'
import { seriesOf } from '#kernel/records/series.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { changesOf } from '#kernel/values/fields.ts'
import { decimal, refuseFractions } from '#kernel/values/money.ts'
import { categoryFor } from './categories.ts'
import { lifecycle } from './lifecycle.ts'
import { CreateExpense, Expense, ExpenseDetail } from './schema.ts'

export const expenses = resource({
  table: 'expenses',
  module: 'expenses',
  noun: 'expense',
  title: 'title',
  item: Expense,
  detail: ExpenseDetail,
  assign: 'expenses.assign',
  tallied: ['status', 'assigned_to'],
  unique: { expenses_purchase_order: { purchase_order: 'This purchase order has already been converted to an expense.' } },
})

export const expenseList = listing(expenses, {
  // Amounts other than the total can't be sorted by: few expenses have them, and each sort requires an index.
  sorts: [
    ...['created_at', 'updated_at', 'id', 'title', 'status', 'category_id', 'vendor_id', 'amount', 'tax_amount', 'currency'],
    ...['expense_date', 'assigned_to', 'notes', 'purchase_order_id', 'deleted_at'],
  ] as const,
  search: { through: { vendor_id: 'vendors' } },
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    category_id: filter.id('category_id'),
    vendor_id: filter.id('vendor_id'),
    assigned_to: filter.assignee(),
    my_expenses: filter.mine(),
  },
})

export const expenseStats = statsOf('ExpenseStats', expenseList, {
  total: 'total_expenses',
  mine: 'my_expenses',
  states: lifecycle.states,
})

export const expenseSeries = seriesOf('ExpenseSeries', expenseList, {
  by: ['expense_date', 'created_at'],
  of: ['amount', 'count'],
  splits: ['status'],
})

/** Creates a draft: by default of today, in the workspace's currency and the category Other. */
export async function createExpense(ctx: Ctx, body: z.output<typeof CreateExpense>) {
  const { currency = ctx.tenant.currency, expense_date = ctx.today() } = body
  refuseAmounts(currency, body)
  const category_id = await categoryFor(ctx, body.category_id)
  return createRecord(ctx, expenses, CreateExpense, { ...body, currency, expense_date, category_id })
}

/** 422 on an amount with too many decimals, on `tax_amount` if it exceeds the amount that it is part of. */
function refuseAmounts(currency: string, { amount, tax_amount }: { amount: string; tax_amount: string }) {
  refuseFractions(currency, { amount, tax_amount })
  if (decimal(tax_amount).gt(amount)) throw invalid({ tax_amount: 'Must be at most the amount, which it is a part of.' })
}

/** 422 on `status` if the invoice that it was created from has been processed otherwise since. */
export async function restoreExpense(ctx: Ctx, expense: Row<'expenses'>) {
  if (expense.is_superseded)
    throw invalid({ status: 'The invoice that it was made of was booked, rejected or deleted otherwise since: go by that.' })
  return expenses.restore(ctx, expense)
}

export const ChangeExpense = changesOf(CreateExpense)

/** Drafts only: 422 on `status` once it is approved. */
export async function updateExpense(
  ctx: Ctx,
  expense: Row<'expenses'>,
  { category_id, ...body }: z.output<typeof ChangeExpense>,
) {
  const { amount, tax_amount, currency } = { ...expense, ...(body as Changes<'expenses'>) }
  refuseAmounts(currency, { amount, tax_amount })
  const category =
    category_id === undefined || category_id === expense.category_id ? {} : { category_id: await categoryFor(ctx, category_id) }
  return updateRecord(ctx, expenses, ChangeExpense, expense, { ...category, ...(body as Changes<'expenses'>) })
}
