import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { assignee } from '#kernel/records/assignment.ts'
import { actorRef, nameRef, recordRef, userRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { computed, extended, view } from '#kernel/records/view.ts'
import {
  changesOf,
  choice,
  currency,
  date,
  formatted,
  id,
  money,
  optionalDate,
  optionalRef,
  referenceMeta,
  stamps,
  text,
} from '#kernel/values/fields.ts'
import { optionalHtml } from '#kernel/values/html.ts'
import {
  DISCOUNT_TYPES,
  type LineTable,
  linesField,
  linesOf,
  OFFER_COLUMNS,
  OfferLineInput,
  offerLine,
  taxBreakdown,
} from '#workspace/billing-documents/public.ts'
import { deliveryInput, deliveryShown } from '#workspace/e-invoices/public.ts'
import { issuedDocument } from '#workspace/issued-documents/public.ts'
import { paymentAllocations } from '#workspace/payments/public.ts'
import { lifecycle } from './lifecycle.ts'
import { reminders } from './reminders/shown.ts'

export const FREQUENCIES = ['weekly', 'monthly', 'quarterly', 'semi_annually', 'yearly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

export const invoiceLines: LineTable = { table: 'invoice_lines', by: 'invoice_id', columns: OFFER_COLUMNS }

/** Input of a new invoice (INV-31). */
export const CreateInvoice = z.object({
  title: text(255),
  notes: optionalHtml(),
  terms_and_conditions: optionalHtml(),
  currency: currency().optional(),
  issue_date: optionalDate(),
  due_date: optionalDate(),
  ...deliveryInput,
  contact_id: optionalRef('contact', { picker: true }),
  company_id: optionalRef('company', { picker: true }),
  quotation_id: id()
    .nullish()
    .meta(referenceMeta('quotation', { picker: true }))
    .meta({ description: 'Id of the quotation that it was made of; null: none.', examples: [3] }),
  reseller_id: optionalRef('reseller', { picker: true }).meta({
    description: 'Id of the reseller who brought the customer; null: none.',
    examples: [2],
  }),
  assigned_to: assignee(),
  is_recurring: z.boolean().describe('Whether it is the root of a series, of which further invoices are made.').default(false),
  recurrence_frequency: choice(FREQUENCIES).nullish(),
  recurrence_next_issue_on: optionalDate(),
  recurrence_ends_on: optionalDate(),
  line_discount_type: choice(DISCOUNT_TYPES).default('none'),
  lines: linesOf(OfferLineInput),
})
/** INV-35: fields that aren't sent stay unchanged; sent lines replace all lines. */
export const UpdateInvoice = changesOf(CreateInvoice)

/** Input that ends a series (INV-45). */
export const StopRecurrence = z.object({
  void_latest_unpaid: z
    .boolean()
    .describe('true also voids the latest invoice of the series, where nothing was paid or credited on it.')
    .default(false),
})

/** The document that the invoice was created from. */
const origin = <const Column extends string>(column: Column, type: 'quotation' | 'estimate' | 'contract') =>
  recordRef(column, type, { id: z.int(), number: z.string(), title: z.string(), status: z.string() })

export const Invoice = view('invoices', 'Invoice', {
  id: z.int(),
  number: z.string(),
  title: z.string(),
  status: choice(lifecycle.states),
  display_status: computed(
    z
      .enum([...lifecycle.states, 'partial'])
      .meta({ description: 'The status; partial for an unpaid one of which some was paid.' }),
    ({ table }) => {
      const at = (column: string) => sql.ref(`${table}.${column}`)
      return sql`case when ${at('status')} = 'unpaid' and ${at('amount_paid')} > 0 then 'partial' else ${at('status')} end`
    },
  ),
  currency: formatted('currency'),
  issue_date: date().nullable().describe('Day of the invoice. Set to today when it is sent without one.'),
  due_date: date().nullable().describe('Last day to pay without being overdue; null: none.'),
  contact_id: z.int().nullable(),
  contact: nameRef('contact_id', 'contact', { picker: true }),
  company_id: z.int().nullable(),
  company: nameRef('company_id', 'company', { picker: true }),
  quotation_id: z.int().nullable(),
  quotation: origin('quotation_id', 'quotation'),
  estimate_id: z
    .int()
    .nullable()
    .meta({ description: 'Id of the estimate that it was made of; null: none.', examples: [3] }),
  estimate: origin('estimate_id', 'estimate'),
  contract_id: z
    .int()
    .nullable()
    .meta({ description: 'Id of the contract that it was made of; null: none.', examples: [3] }),
  contract: origin('contract_id', 'contract'),
  reseller_id: z.int().nullable(),
  reseller: nameRef('reseller_id', 'reseller', { picker: true }),
  assigned_to: z.int().nullable(),
  assignee: userRef('assigned_to'),
  creator: actorRef('created_by'),
  line_discount_type: choice(DISCOUNT_TYPES),
  subtotal: money(),
  discount_total: money(),
  tax_total: money(),
  total: money(),
  amount_paid: money().meta({ description: 'What payments have paid of it so far. Computed by the service.', examples: [0] }),
  amount_credited: money().meta({
    description: 'What credit notes have taken off it so far. Computed by the service.',
    examples: [0],
  }),
  balance_due: money().meta({ description: 'What is left to pay: total less payments and credit.', examples: [58.8] }),
  is_recurring: z.boolean(),
  recurrence_frequency: choice(FREQUENCIES)
    .nullable()
    .describe('How often the series makes an invoice. Required with `is_recurring`.'),
  recurrence_next_issue_on: date()
    .nullable()
    .meta({
      description: 'Day on which the series makes its next invoice. Required with `is_recurring`, and after `issue_date`.',
      examples: ['2026-12-20'],
    }),
  recurrence_ends_on: date()
    .nullable()
    .meta({ description: 'Last day of the series, on or after the next invoice; null: it goes on.', examples: ['2027-12-20'] }),
  recurrence_status: choice(['pending', 'active', 'ended'])
    .nullable()
    .describe('Whether the series waits for its root to be sent, runs, or has ended; null: it is none.'),
  recurring_source_invoice_id: z
    .int()
    .nullable()
    .meta({ description: 'Id of the root of the series that made it; null: none did.', examples: [9] }),
  recurring_source: recordRef('recurring_source_invoice_id', 'invoice', { id: z.int(), number: z.string(), title: z.string() }),
  latest_note: latestNote(),
  ...stamps,
})

/**
 * Newest invoice of a series without payments or credits (INV-46): among the ones that the actor may see (INV-30), or among all.
 */
export const latestUnpaid = (ctx: Ctx, rootId: unknown, { ofAll = false } = {}) => sql<{
  id: number
  number: string
  status: string
}>`
  select g.id, g.number, g.status from invoices g
  where g.tenant_id = ${ctx.tenant.id} and g.recurring_source_invoice_id = ${rootId} and g.deleted_at is null
    and g.status in ('draft', 'unpaid') and g.amount_paid = 0 and g.amount_credited = 0
    and ${(!ofAll && subjectOf(ctx, 'invoice')?.visible(ctx, 'g')) || sql`true`}
  order by g.occurrence_on desc limit 1`

/** INV-28. `notes` is the invoice's own text; the notes of users are `note_entries`. */
export const InvoiceDetail = extended(Invoice, 'InvoiceDetail', {
  notes: formatted('html').nullable(),
  terms_and_conditions: formatted('html').nullable(),
  ...deliveryShown,
  lines: linesField(invoiceLines, 'InvoiceLine', offerLine),
  tax_breakdown: taxBreakdown(invoiceLines),
  issued_document: issuedDocument(),
  payment_allocations: paymentAllocations().describe('What payments have paid of it, the earliest first.'),
  latest_unpaid_generated_invoice: computed(
    z.object({ id: z.int(), number: z.string(), status: z.string() }).nullable(),
    ({ ctx, table }) => sql`case when ${sql.ref(`${table}.recurrence_status`)} = 'active' then
      (select row_to_json(g) from (${latestUnpaid(ctx, sql.ref(`${table}.id`))}) g) end`,
  ).describe('Of the root of a running series: the latest invoice that it made, the caller may see and nobody paid; null: none.'),
  exclude_from_reminders: z.boolean().describe('Whether the plan’s reminders of it are paused.'),
  reminders: reminders(),
  note_entries: newestNotes(),
  activities: activities(),
})
