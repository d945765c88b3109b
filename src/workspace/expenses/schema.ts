import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { actorRef, nameRef, rowRef, userRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { extended, view } from '#kernel/records/view.ts'
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
