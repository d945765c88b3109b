import { sql } from 'kysely'
import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { actorRef, nameRef, rowRef, userRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { type At, computed, extended, view } from '#kernel/records/view.ts'
import {
  amount,
  choice,
  currency,
  date,
  formatted,
  id,
  longText,
  money,
  optionalRef,
  optionalText,
  refId,
  stamps,
  text,
} from '#kernel/values/fields.ts'
import { lifecycle } from './lifecycle.ts'

export const CreateExpense = z.object({
  title: text(255),
  category_id: id().nullish().meta({ 'x-refers-to': 'expense_category' }),
  vendor_id: optionalRef('vendor'),
  amount: amount(),
  tax_amount: amount().default('0'),
  currency: currency().optional(),
  expense_date: date().optional().describe('Day on which the money was spent. Unless sent: today, in the workspace’s calendar.'),
  assigned_to: assignee(),
  notes: optionalText(),
})

/** Amount due of an expense, from its own columns. */
function dueOf({ table }: At) {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const whole = sql`${column('amount')} + ${column('deposit_amount')}`
  return sql`trim_scale(${whole} - ${column('prepaid_amount')} + ${column('rounding_amount')} + ${column('third_party_amount')})`
}

export const Expense = view('expenses', 'Expense', {
  id: z.int(),
  title: z.string(),
  status: choice(lifecycle.states),
  category_id: z.int(),
  category: rowRef('category_id', 'expense_categories'),
  vendor_id: z.int().nullable(),
  vendor: nameRef('vendor_id', 'vendor'),
  amount: money().meta({ description: 'What was spent, tax included, in `currency`.', examples: [58.8] }),
  tax_amount: money().meta({ description: 'The tax within `amount`; never more than that.', examples: [9.8] }),
  prepaid_amount: money().meta({ description: 'What was paid before the invoice came, as that says.', examples: [0] }),
  rounding_amount: money().meta({ description: 'What the invoice rounds the sum to be paid by.', examples: [0] }),
  third_party_amount: money().meta({
    description: 'What the seller collects for others with the invoice: it is to be paid, and no part of `amount`.',
    examples: [0],
  }),
  deposit_amount: money().meta({
    description:
      'What expenses of deposit invoices hold already of the same purchase: the invoice comes to that more than `amount`.',
    examples: [0],
  }),
  amount_due: computed(
    money().meta({
      description:
        'What is to be paid: `amount` and deposits, less what was paid before, rounded, with what is collected for others.',
      examples: [58.8],
    }),
    dueOf,
  ),
  currency: formatted('currency'),
  expense_date: date(),
  assigned_to: z.int().nullable(),
  assignee: userRef('assigned_to'),
  notes: longText().nullable(),
  purchase_order_id: refId('purchase_order')
    .nullable()
    .meta({ description: 'Id of the purchase order that it was made of; null: none.', examples: [2] }),
  creator: actorRef('created_by'),
  latest_note: latestNote(),
  ...stamps,
})

export const ExpenseDetail = extended(Expense, 'ExpenseDetail', { note_entries: newestNotes(), activities: activities() })
