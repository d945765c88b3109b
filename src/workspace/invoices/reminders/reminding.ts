/**
 * Sends a reminder: a mail with the texts of its plan's step, or the default ones in the customer's language, with the invoice's
 * PDF and a pay button. It is stored in the same transaction as the mail, under the invoice's lock. So none is sent after a
 * payment, and no step twice.
 */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { limiter } from '#kernel/http/limits.ts'
import { logActivity, writeActivities } from '#kernel/records/timeline.ts'
import { text } from '#kernel/values/fields.ts'
import { decimal, formatAmount, withCurrency } from '#kernel/values/money.ts'
import { localDay } from '#kernel/values/written.ts'
import {
  EmailDocument,
  emailDocuments,
  mayMailAddress,
  printed,
  printedDates,
  recipientOf,
  recipientsOf,
} from '#workspace/billing-documents/public.ts'
import { filled, type Say } from '#workspace/document-texts/public.ts'
import { payButtons } from '#workspace/payments/public.ts'
import { type Invoice, invoices } from '../invoices.ts'
import { readInvoices } from '../pdf.ts'
import { activePlan, type ReminderStep, reminderWords } from './plans.ts'
import { type InvoiceReminder, type REMINDER_STATES, reminderShown } from './shown.ts'

export const RemindInvoice = EmailDocument.extend({
  subject: reminderWords(text(255).nullish()).meta({
    description:
      'Subject line of the mail, which may say {number}, {title}, {amount} and {due}. Unless sent: as the plan’s step has it, or the texts of documents.',
  }),
  message: reminderWords(text(65_535).nullish()).meta({
    description:
      'Text of the mail, which may say {number}, {title}, {amount} and {due}. Unless sent: as the plan’s step has it, or the texts of documents.',
  }),
})

/** Ten a minute per user. */
export const reminding = limiter({ name: 'invoices-remind', points: 10, seconds: 60, by: 'user' })

/** 422 on `status` of an invoice without a balance due. */
export function refuseReminder(_ctx: Ctx, invoice: Invoice) {
  if (invoice.status !== 'unpaid' || decimal(invoice.balance_due).lte(0))
    throw invalid({ status: 'Customers are reminded of unpaid invoices only, on which something is left to pay.' })
}

/**
 * Sends a reminder by hand: with the plan's latest due step if it wasn't sent yet, else without a step. 422 on `to` without a
 * recipient, and if a recipient was reminded within the last minute, because buttons are clicked twice.
 */
export async function remindByHand(ctx: Ctx, invoice: Invoice, body: z.output<typeof RemindInvoice>) {
  const [step, { email }] = await Promise.all([stepFor(ctx, invoice), recipientOf(ctx, invoice)])
  await refuseAgain(ctx, invoice, body.to?.length ? body.to : [email])
  const [written] = await mail(ctx, [{ invoice, step, email }], body)
  const [id] = await write(ctx, [written!])
  const { rows } = await sql<{ shown: z.input<typeof InvoiceReminder> }>`
    select ${reminderShown(ctx, 'invoice_reminders')} as shown from invoice_reminders where tenant_id = ${ctx.tenant.id} and id = ${id}`.execute(
    ctx.tx,
  )
  return rows[0]!.shown
}

/** Minimum time between two reminders of a customer. In milliseconds. */
const PAUSE = 60_000

async function refuseAgain(ctx: Ctx, { id }: Invoice, to: (string | null)[]) {
  const since = new Date(Date.parse(ctx.now) - PAUSE).toISOString()
  const { rows } = await sql<{ sent_to: string[] }>`
    select sent_to from invoice_reminders where tenant_id = ${ctx.tenant.id} and invoice_id = ${id} and status = 'sent' and updated_at > ${since}`.execute(
    ctx.tx,
  )
  const told = new Set(rows.flatMap(({ sent_to }) => sent_to.map((address) => address.toLowerCase())))
  const again = to.find((address) => address && told.has(address.toLowerCase()))
  if (again) throw invalid({ to: `${again} was reminded of this invoice within the last minute.` })
}

async function stepFor(ctx: Ctx, { id, due_date }: Invoice): Promise<ReminderStep | undefined> {
  const plan = due_date && (await activePlan(ctx))
  if (!plan) return undefined
  const behind = Temporal.PlainDate.from(due_date).until(ctx.today()).days
  const step = plan.steps.findLast(({ days }) => days <= behind)
  if (!step) return undefined
  const sent = ctx.from('invoice_reminders').select('id').where('invoice_id', '=', id).where('status', '=', 'sent')
  return (await sent.where('days', '>=', step.days).limit(1).executeTakeFirst()) ? undefined : step
}

/** An invoice to remind of, and the step of the plan. */
export interface Due {
  invoice: Invoice
  step: ReminderStep
}

/**
 * Reminds of locked invoices by the plan, with as many statements for many as for one. A customer without an address is not
 * reminded, which is stored.
 */
export async function remindByPlan(ctx: Ctx, due: Due[]) {
  const recipientFor = await recipientsOf(
    ctx,
    due.map(({ invoice }) => invoice),
  )
  const all = due.map((one) => ({ ...one, email: recipientFor(one.invoice).email }))
  const nobody = all.filter(({ email }) => !email)
  const mailed = await mail(
    ctx,
    all.filter(({ email }) => email),
    EVERYTHING,
  )
  const unmailed = nobody.map(({ invoice, step }) => ({ ...NOT_MAILED, invoice_id: invoice.id, days: step.days }))
  await write(ctx, [...mailed, ...unmailed])
  await writeActivities(
    ctx,
    nobody.map(({ invoice: { id } }) => ({ table: invoices.table, id, type: 'not_reminded' })),
  )
}

const EVERYTHING: z.output<typeof RemindInvoice> = { cc: [], bcc: [], attach_pdf: true }

interface Addressed {
  invoice: Invoice
  step: ReminderStep | undefined
  /** Default recipient, unless the body has another. */
  email: string | null
}

/** Queues the mails and writes them to the timelines. Returns the remaining data to store, in order. */
async function mail(ctx: Ctx, all: Addressed[], body: z.output<typeof RemindInvoice>): Promise<Written[]> {
  if (!all.length) return []
  const due = all.map(({ invoice }) => invoice)
  const ids = due.map(({ id }) => id)
  const [read, before, buttonFor] = await Promise.all([readInvoices(ctx, ids), remindedBefore(ctx, ids), payButtons(ctx, due)])
  const made = all.map(({ invoice, step, email }) => {
    const { id, currency, due_date, balance_due } = invoice
    const { paper, say, since } = read.get(id)!
    const { n, fees: told } = before.get(id) ?? { n: 0, fees: null }
    const own = { subject: body.subject ?? step?.subject, message: body.message ?? step?.message }
    const { subject, message } = wordsFor(ctx, say, invoice, { own, isAgain: n > 0 })
    const fee = step?.fee && currency === ctx.tenant.currency ? decimal(step.fee).toFixed() : null
    const fees = decimal(told ?? 0).plus(fee ?? 0)
    const print = printed(say, currency)
    const sum = (label: string, value: string) => ({ label, value: print.sum(value) })
    const facts = [
      ...printedDates(say, { due_date }),
      sum(say('total'), invoice.total),
      sum(say('balance_due'), balance_due),
      ...(fees.gt(0) ? [sum(say('reminder_fees'), fees.toFixed()), sum(say('to_pay'), fees.plus(balance_due).toFixed())] : []),
    ]
    const type = 'customer_invoice.reminded'
    const link = mayMailAddress(ctx, invoice, email, body) ? buttonFor(id, say) : undefined
    const document = { type, paper, say, since, recipient: email, row: invoice, facts, link, isAutomatic: ctx.actor.id === null }
    return { id, step, fee, document, body: { ...body, subject, message } }
  })
  const mailed = await emailDocuments(ctx, made)
  await writeActivities(
    ctx,
    made.map(({ id, body: { subject } }, n) => ({
      ...{ table: invoices.table, id, type: 'reminded' },
      properties: { to: mailed[n]!.to, subject },
    })),
  )
  return made.map(({ id, step, fee, body: { subject } }, n) => ({
    ...{ invoice_id: id, days: step?.days ?? null, status: 'sent', subject, sent_to: mailed[n]!.to, fee },
    email_log_uuid: mailed[n]!.email_log_uuid,
    sent_by: ctx.actor.id,
  }))
}

/**
 * Reads how many reminders of each invoice were sent after its due date, and the sum of all fees in them, including earlier ones.
 */
async function remindedBefore(ctx: Ctx, ids: number[]) {
  const { rows } = await sql<{ invoice_id: number; n: number; fees: string | null }>`
    select invoice_id, count(*) filter (where days is null or days > 0) as n, sum(fee) as fees from invoice_reminders
    where tenant_id = ${ctx.tenant.id} and invoice_id = any(${ids}::bigint[]) and status = 'sent'
    group by invoice_id`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.invoice_id, row]))
}

interface Own {
  subject?: string | null
  message?: string | null
}

/**
 * Texts of the request or the step with placeholders filled, else the default ones in the customer's languages; friendlier before
 * the due date and in the first reminder.
 */
function wordsFor(ctx: Ctx, say: Say, invoice: Invoice, { own, isAgain }: { own: Own; isAgain: boolean }) {
  const { number, title, currency, balance_due } = invoice
  const day = invoice.due_date ?? invoice.issue_date ?? ctx.today()
  const amount = (locale: string) => withCurrency(formatAmount(balance_due, currency, locale), currency, locale)
  const due = (locale: string) => localDay(day, locale)
  const kind = day >= ctx.today() ? 'upcoming' : isAgain ? 'again' : 'first'
  const values = { number, title, amount: amount(say.locale), due: due(say.locale) }
  const asked = say.each(`reminder_${kind}_body`, { number, amount, due })
  const thanked = say.each('reminder_paid_already')
  const sentences = asked.map((sentence, n) => `${sentence} ${thanked[n]}`)
  return {
    subject: own.subject ? filled(own.subject, values) : say(`reminder_${kind}_subject`, { number }),
    message: own.message ? filled(own.message, values) : sentences.join('\n\n'),
  }
}

interface Written {
  invoice_id: number
  days: number | null
  status: (typeof REMINDER_STATES)[number]
  subject: string | null
  sent_to: string[]
  fee: string | null
  email_log_uuid: string | null
  sent_by: number | null
}

const NOT_MAILED: Omit<Written, 'invoice_id' | 'days'> = {
  ...{ status: 'no_address', subject: null, sent_to: [], fee: null, email_log_uuid: null, sent_by: null },
}

/** Stores reminders, replacing unmailed ones of the same step, and returns their ids. */
async function write(ctx: Ctx, reminders: Written[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    insert into invoice_reminders as kept
      (tenant_id, invoice_id, days, status, subject, sent_to, fee, email_log_uuid, sent_by, created_at, updated_at)
    select ${ctx.tenant.id}, invoice_id, days, status, subject, sent_to, fee, email_log_uuid, sent_by, ${ctx.now}, ${ctx.now}
    from json_populate_recordset(null::invoice_reminders, ${JSON.stringify(reminders)}::json)
    on conflict (tenant_id, invoice_id, days) do update
      set (status, subject, sent_to, fee, email_log_uuid, sent_by, updated_at) = (excluded.status, excluded.subject,
        excluded.sent_to, excluded.fee, excluded.email_log_uuid, excluded.sent_by, excluded.updated_at)
      where kept.status <> 'sent'
    returning id`.execute(ctx.tx)
  if (rows.length !== reminders.length) throw new Error('A step of the plan reminds of an invoice once')
  return rows.map(({ id }) => id)
}

/** Pauses or resumes the plan's reminders of one invoice; manual ones are still possible. */
export async function pauseReminders(ctx: Ctx, invoice: Invoice, isPaused: boolean) {
  if (invoice.exclude_from_reminders === isPaused) return
  await invoices.save(ctx, invoice, { exclude_from_reminders: isPaused })
  await logActivity(ctx, invoices, invoice.id, isPaused ? 'reminders_paused' : 'reminders_resumed')
}
