import { z } from 'zod'
import { NameRef, UserRef } from '#kernel/records/embed.ts'
import { Note } from '#kernel/records/notes.ts'
import { Activity } from '#kernel/records/timeline.ts'
import { currency, date, decimal, id, instant, optionalId, optionalText, text } from '#kernel/values/fields.ts'
import { toNumber } from '#kernel/values/money.ts'
import { states } from './lifecycle.ts'

/** Up to 4 places, the most that a currency has; `currency` says how many count. */
const amount = () => decimal({ places: 4, min: 0, max: 99_999_999_999 })

export const CreateExpense = z.object({
  title: text(255),
  category_id: optionalId(),
  vendor_id: optionalId(),
  amount: amount(),
  tax_amount: amount().default('0'),
  currency: currency().optional(),
  expense_date: date().optional(),
  assigned_to: optionalId(),
  notes: optionalText(),
})

export const UpdateExpense = CreateExpense.extend({ category_id: id(), tax_amount: amount() }).partial()

const ExpenseStatus = z.enum(states, `Must be one of ${states.join(', ')}.`)
export const StatusBody = z.object({ status: ExpenseStatus })

export const Expense = z
  .object({
    id: z.int(),
    title: z.string(),
    status: z.string(),
    category_id: z.int(),
    category: NameRef.nullable(),
    vendor_id: z.int().nullable(),
    vendor: NameRef.nullable(),
    amount: z.number(),
    tax_amount: z.number(),
    currency: z.string(),
    expense_date: z.string(),
    assigned_to: z.int().nullable(),
    assignee: UserRef.nullable(),
    notes: z.string().nullable(),
    purchase_order_id: z.int().nullable(),
    creator: UserRef.nullable(),
    latest_note: Note.nullable(),
    created_at: instant(),
    updated_at: instant(),
    deleted_at: instant().nullable(),
  })
  .meta({ id: 'Expense' })

export const ExpenseDetail = Expense.extend({ note_entries: z.array(Note), activities: z.array(Activity) }).meta({
  id: 'ExpenseDetail',
})

export const ExpenseStats = z
  .object({
    total_expenses: z.int(),
    my_expenses: z.int(),
    draft: z.int(),
    approved: z.int(),
    paid: z.int(),
    scope: z.enum(['org', 'mine']),
  })
  .meta({ id: 'ExpenseStats' })

/** Exact decimals leave as JSON numbers. */
export const present = <E extends { amount: string; tax_amount: string }>(expense: E) => ({
  ...expense,
  amount: toNumber(expense.amount),
  tax_amount: toNumber(expense.tax_amount),
})

export const CreateCategory = z.object({
  name: text(100),
  is_active: z.boolean().default(true),
  sort_order: z.int('Must be a whole number.').min(0).max(1_000_000).default(100),
})

export const UpdateCategory = CreateCategory.extend({
  is_active: z.boolean(),
  sort_order: z.int('Must be a whole number.').min(0).max(1_000_000),
}).partial()

export const Category = z
  .object({ id: z.int(), name: z.string(), is_active: z.boolean(), is_other: z.boolean(), sort_order: z.int() })
  .meta({ id: 'ExpenseCategory' })
