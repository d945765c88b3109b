/** Expenses: drafted, approved, paid. Whoever may not assign sees and changes only their own. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { assign, assigneeForNew } from '#kernel/records/assignment.ts'
import { nameRef, userRef } from '#kernel/records/embed.ts'
import { filter, type ListQuery, listing } from '#kernel/records/listing.ts'
import { latestNote, notesOf } from '#kernel/records/notes.ts'
import { type Row, resource, revise } from '#kernel/records/resource.ts'
import { activitiesOf, describe, logActivity } from '#kernel/records/timeline.ts'
import { decimal, minorUnits, roundTo } from '#kernel/values/money.ts'
import { vendorOf } from '#workspace/vendors/public.ts'
import { categoryFor } from './categories.ts'
import { lifecycle, type Status, states } from './lifecycle.ts'
import { type CreateExpense, present, type UpdateExpense } from './schema.ts'

export const expenses = resource({
  table: 'expenses',
  noun: 'expense',
  assign: 'expenses.assign',
  tallied: ['status', 'assigned_to'],
  decimals: ['amount', 'tax_amount'],
  unique: { expenses_purchase_order: { purchase_order: 'This purchase order has already been converted to an expense.' } },
})

export const expenseList = listing(expenses, {
  sorts: ['created_at', 'updated_at', 'title', 'status', 'amount', 'expense_date'],
  search: true,
  filters: {
    status: filter.oneOf('status', states),
    category_id: filter.id('category_id'),
    vendor_id: filter.id('vendor_id'),
    assigned_to: filter.assignee(),
    my_expenses: filter.mine(),
  },
})

const selectExpenses = (ctx: Ctx) =>
  ctx.tx
    .selectFrom('expenses')
    .selectAll('expenses')
    .select([
      nameRef('expenses', 'category_id', 'expense_categories').as('category'),
      nameRef('expenses', 'vendor_id', 'vendors').as('vendor'),
      userRef('expenses', 'assigned_to').as('assignee'),
      userRef('expenses', 'created_by').as('creator'),
      latestNote('expenses').as('latest_note'),
    ])

export async function listExpenses(ctx: Ctx, query: ListQuery) {
  const { rows, total } = await expenseList.page(ctx, query, selectExpenses)
  return { rows: rows.map(present), total }
}

/** How many match, in all, of the actor's and in each status. */
export async function countExpenses(ctx: Ctx, query: ListQuery) {
  const counts = await expenseList.counts(ctx, query)
  const sum = (of: 'total' | 'mine') => counts.reduce((all, count) => all + count[of], 0)
  const having = (status: Status) => counts.find((count) => count.status === status)?.total ?? 0
  return {
    total_expenses: sum('total'),
    my_expenses: sum('mine'),
    draft: having('draft'),
    approved: having('approved'),
    paid: having('paid'),
    scope: expenses.scope(ctx) ? ('mine' as const) : ('org' as const),
  }
}

/** One expense with its notes and timeline. The caller has made sure that the actor may see it. */
export async function showExpense(ctx: Ctx, id: number) {
  const { activities, ...expense } = await selectExpenses(ctx)
    .select([notesOf('expenses').as('note_entries'), activitiesOf('expenses').as('activities')])
    .where('expenses.tenant_id', '=', ctx.tenant.id)
    .where('expenses.id', '=', id)
    .executeTakeFirstOrThrow()
  return { ...present(expense), activities: describe(expenses.sentences, activities) }
}

/** A draft: of today, in the workspace's currency and the category Other unless told otherwise. */
export async function createExpense(ctx: Ctx, body: z.output<typeof CreateExpense>) {
  const { currency = ctx.tenant.currency, expense_date = ctx.today() } = body
  refuseFractions(currency, body)
  const category_id = await categoryFor(ctx, body.category_id)
  if (body.vendor_id != null) await vendorOf(ctx, body.vendor_id)
  const assigned_to = await assigneeForNew(ctx, 'expenses.assign', body.assigned_to)
  const { id } = await expenses.insert(ctx, { ...body, currency, expense_date, category_id, assigned_to })
  return showExpense(ctx, id)
}

/** Drafts only: 422 on `status` once it is approved. Without expenses.assign an assignee that is sent is dropped. */
export async function updateExpense(ctx: Ctx, expense: Row<'expenses'>, body: z.output<typeof UpdateExpense>) {
  if (expense.status !== 'draft') throw invalid({ status: 'Only draft expenses can be edited.' })
  const { assigned_to, ...sent } = body
  const { amount, tax_amount, currency } = { ...expense, ...sent }
  refuseFractions(currency, { amount, tax_amount })
  if (sent.category_id && sent.category_id !== expense.category_id) await categoryFor(ctx, sent.category_id)
  if (sent.vendor_id && sent.vendor_id !== expense.vendor_id) await vendorOf(ctx, sent.vendor_id)

  const revised = await revise(ctx, expenses, expense, sent)
  if (assigned_to !== undefined && ctx.can('expenses.assign')) await assign(ctx, expenses, revised, assigned_to)
  return showExpense(ctx, expense.id)
}

/** Approves, reopens or pays, whichever leads there; 422 on `status` when nothing does. */
export async function moveExpense(ctx: Ctx, expense: Row<'expenses'>, to: Status) {
  const from = expense.status
  if (!lifecycle.leading(from, to)) throw invalid({ status: `A ${from} expense cannot become ${to}.` })
  await expenses.save(ctx, expense, { status: to })
  await logActivity(ctx, expenses, expense.id, 'status_changed', { from, to })
  return showExpense(ctx, expense.id)
}

/** 422 on an amount with more decimals than its currency has. */
function refuseFractions(currency: string, amounts: { amount: string; tax_amount: string }) {
  const wrong = (['amount', 'tax_amount'] as const).filter(
    (field) => !roundTo(currency, decimal(amounts[field])).eq(amounts[field]),
  )
  const message = `Must have at most ${minorUnits(currency)} decimals in ${currency}.`
  if (wrong.length) throw invalid(Object.fromEntries(wrong.map((field) => [field, message])))
}
