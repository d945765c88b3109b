/** Invoices: list, statistics, creation and changes. */
import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { emit } from '#kernel/modules/events.ts'
import { filter, filterOf, listing } from '#kernel/records/listing.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { createRecord, insertThenEmit, updateRecord } from '#kernel/records/saving.ts'
import { seriesOf } from '#kernel/records/series.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { choice, money, queryFlag } from '#kernel/values/fields.ts'
import { decimal } from '#kernel/values/money.ts'
import { mailedTo, priceChanged, priceNew, recipientAddresses } from '#workspace/billing-documents/public.ts'
import { incomplete, particularSentences, refuseDelivery, refuseWithoutVatId } from '#workspace/e-invoices/public.ts'
import { lifecycle } from './lifecycle.ts'
import { checkQuotation } from './origins.ts'
import { plannedRecurrence } from './recurrence.ts'
import { REMINDER_STATES, reminderSentences } from './reminders/shown.ts'
import { CreateInvoice, InvoiceDetail, Invoice as InvoiceItem, invoiceLines, UpdateInvoice } from './schema.ts'

export type Invoice = Row<'invoices'>

export const invoices = resource({
  table: 'invoices',
  module: 'invoices',
  noun: 'invoice',
  title: 'number',
  due: 'due_date',
  item: InvoiceItem,
  detail: InvoiceDetail,
  numberPrefix: 'invoices_number_prefix',
  assign: 'invoices.assign',
  tallied: ['status', 'assigned_to'],
  activityTemplates: {
    ...incomplete,
    ...particularSentences,
    ...reminderSentences,
    voided: () => 'Voided',
    emailed: mailedTo as (properties: { to: string[]; subject: string }) => string,
    recurrence_started: ({ next_on }: { next_on: string }) => `Series started, next on ${next_on}`,
    recurrence_stopped: ({ reason }: { reason: 'stopped' | 'voided' | 'over' }) =>
      ({ stopped: 'Series stopped', voided: 'Series ended with its first invoice', over: 'Series is over' })[reason],
    recurrence_generated: ({ number = 'an invoice' }: { invoice_id: number; number?: string }) => `Issued ${number}`,
  },
  timelineNames: { type: 'invoice', id: 'invoice_id', label: 'number' },
  timelineHides: recipientAddresses('invoices'),
})

const isOverdue = (ctx: Ctx, column: (name: string) => unknown) =>
  sql<SqlBool>`(${column('status')} = 'unpaid' and ${column('due_date')} < ${ctx.today()} and ${column('balance_due')} > 0)`

/** The list of invoices and its filters (INV-32). */
export const invoiceList = listing(invoices, {
  search: { through: { contact_id: 'contacts', company_id: 'companies' } },
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    contact_id: filter.id('contact_id'),
    company_id: filter.id('company_id'),
    assigned_to: filter.assignee(),
    my_invoices: filter.mine(),
    overdue: filter.holds(isOverdue),
    reminder: filterOf({
      schema: choice(REMINDER_STATES).describe('Keeps those that have a reminder in this state.'),
      where: (ctx: Ctx, value, column) => sql`${column('id')} in (
        select r.invoice_id from invoice_reminders r where r.tenant_id = ${ctx.tenant.id} and r.status = ${value})`,
    }),
    recurring: filterOf({
      schema: queryFlag(),
      where: (_, value, column) => (value ? sql`${column('is_recurring')}` : undefined),
    }),
  },
})

/** Invoiced amounts over time: sums exclude drafts and voided invoices. */
export const invoiceSeries = seriesOf('InvoiceSeries', invoiceList, {
  by: ['issue_date', 'due_date', 'created_at'],
  of: ['total', 'subtotal', 'balance_due', 'count'],
  splits: ['status'],
  summed: ['unpaid', 'paid'],
})

const ByCurrency = z
  .array(z.object({ currency: z.string(), outstanding_balance: money() }))
  .describe('What is left to pay, by currency.')

/** INV-33, INV-34. `outstanding_balance` adds amounts of all currencies; a second field has them by currency. */
export const invoiceStats = statsOf('InvoiceStats', invoiceList, {
  total: 'total_invoices',
  mine: 'my_invoices',
  states: lifecycle.states,
  more: {
    reply: {
      overdue: z.int(),
      outstanding_balance: money().describe('What is left to pay of all unpaid ones, whatever their currencies.'),
      outstanding_by_currency: ByCurrency,
    },
    async read(ctx, query) {
      const at = (name: string) => sql.ref(`invoices.${name}`)
      const { rows } = await sql<{ currency: string; overdue: number; outstanding: string }>`
        select currency, (count(*) filter (where ${isOverdue(ctx, at)}))::int as overdue, sum(balance_due)::text as outstanding
        from invoices where status = 'unpaid' and ${invoiceList.condition(ctx, query)}
        group by currency order by currency`.execute(ctx.tx)
      return {
        overdue: rows.reduce((sum, { overdue }) => sum + overdue, 0),
        outstanding_balance: rows.reduce((sum, { outstanding }) => sum.plus(outstanding), decimal(0)).toFixed(),
        outstanding_by_currency: rows.map((row) => ({ currency: row.currency, outstanding_balance: row.outstanding })),
      }
    },
  },
})

/** Creates a draft with the next number (INV-02, INV-05). */
export async function create(ctx: Ctx, body: z.output<typeof CreateInvoice>) {
  checkDates(body)
  refuseDelivery(body)
  const series = plannedRecurrence(ctx, body)
  await checkQuotation(ctx, body.quotation_id)
  await refuseWithoutVatId(ctx, body, body.lines)
  const made = await createRecord(ctx, invoices, CreateInvoice, body, async () => ({
    ...series,
    ...(await priceNew(ctx, invoiceLines, body)),
  }))
  return insertThenEmit(made, () => announce(ctx, made.id))
}

/** Emits that there is a new invoice. */
export const announce = (ctx: Ctx, invoice_id: number) => emit(ctx, 'invoice.created', { invoice_id })

/** Fields that plan a series: they are only validated if one of them changes, so that past dates don't block other changes. */
const PLAN = [
  ...(['is_recurring', 'issue_date', 'due_date'] as const),
  ...(['recurrence_frequency', 'recurrence_next_issue_on', 'recurrence_ends_on'] as const),
] as const

/** Changes the sent fields; drafts only (INV-35, INV-36). */
export async function update(ctx: Ctx, invoice: Invoice, body: z.output<typeof UpdateInvoice>) {
  checkDates(body)
  refuseDelivery(body, invoice)
  const isPlanned = PLAN.some((field) => body[field] !== undefined && body[field] !== invoice[field])
  const series = isPlanned ? plannedRecurrence(ctx, { ...invoice, ...body }) : {}
  if (body.quotation_id !== invoice.quotation_id) await checkQuotation(ctx, body.quotation_id)
  await refuseWithoutVatId(ctx, { ...invoice, ...body }, body.lines ?? [])
  const priced = await priceChanged(ctx, invoiceLines, invoice, body)
  await updateRecord(
    ctx,
    invoices,
    UpdateInvoice,
    invoice,
    body,
    { ...series, ...priced?.totals },
    {
      field: 'lines',
      store: () => priced?.store(),
    },
  )
}

/** 422 on `due_date` if both dates are sent and it is before the day of issue. */
function checkDates({ issue_date, due_date }: { issue_date?: string | null; due_date?: string | null }) {
  if (issue_date && due_date && due_date < issue_date) throw invalid({ due_date: 'Must not be before issue_date.' })
}
