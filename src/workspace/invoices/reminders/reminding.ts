/**
 * Reminding of an invoice: a mail in the words of its plan's step, or in those of the customer's language, with the invoice's PDF and a button to
 * pay by. It is written down with the mail, in one transaction, under the invoice's lock: none goes out behind a payment, and no step twice.
 */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { limiter } from '#kernel/http/limits.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { text } from '#kernel/values/fields.ts'
import { decimal, formatAmount } from '#kernel/values/money.ts'
import { localDay } from '#kernel/values/written.ts'
import { EmailDocument, emailDocument, printed, printedDates, recipientOf } from '#workspace/billing-documents/public.ts'
import { filled, type Say } from '#workspace/document-texts/public.ts'
import { payButton } from '#workspace/payments/public.ts'
import { type Invoice, invoices } from '../invoices.ts'
import { readInvoice } from '../pdf.ts'
import { activePlan, type ReminderStep } from './plans.ts'
import { type InvoiceReminder, type REMINDER_STATES, reminderShown } from './shown.ts'

export const RemindInvoice = EmailDocument.extend({
  subject: text(255)
    .nullish()
    .meta({ description: 'Subject line of the mail. Unless sent: as the plan’s step has it, or the texts of documents.' }),
  message: text(65_535)
    .nullish()
    .meta({ description: 'Text of the mail. Unless sent: as the plan’s step has it, or the texts of documents.' }),
})

/** Ten a minute by user. */
export const reminding = limiter({ name: 'invoices-remind', points: 10, seconds: 60, by: 'user' })

/** 422 on `status` of an invoice on which nothing is left to pay. */
export function refuseReminder(_ctx: Ctx, invoice: Invoice) {
  if (invoice.status !== 'unpaid' || decimal(invoice.balance_due).lte(0))
    throw invalid({ status: 'Customers are reminded of unpaid invoices only, on which something is left to pay.' })
}

/**
 * Reminds by hand, of an invoice that something is left to pay on: by the plan's last step whose day has come, where that wasn't sent; else by
 * none. 422 on `to` when there is nobody to mail to.
 */
export async function remindByHand(ctx: Ctx, invoice: Invoice, body: z.output<typeof RemindInvoice>) {
  const step = await stepFor(ctx, invoice)
  const id = await mail(ctx, invoice, step, body)
  const { rows } = await sql<{ shown: z.input<typeof InvoiceReminder> }>`
    select ${reminderShown('invoice_reminders')} as shown from invoice_reminders where tenant_id = ${ctx.tenant.id} and id = ${id}`.execute(
    ctx.tx,
  )
  return rows[0]!.shown
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

/** Reminds by a step of the plan, of a locked invoice. A customer without an address isn't: that is written down. */
export async function remindByPlan(ctx: Ctx, invoice: Invoice, step: ReminderStep) {
  const { email } = await recipientOf(ctx, invoice)
  if (email) await mail(ctx, invoice, step, EVERYTHING)
  else {
    await write(ctx, invoice, { days: step.days, status: 'no_address' })
    await logActivity(ctx, invoices, invoice.id, 'not_reminded')
  }
}

const EVERYTHING: z.output<typeof RemindInvoice> = { cc: [], bcc: [], attach_pdf: true }

async function mail(ctx: Ctx, invoice: Invoice, step: ReminderStep | undefined, body: z.output<typeof RemindInvoice>) {
  const { id, currency, due_date, balance_due } = invoice
  const { email: recipient } = await recipientOf(ctx, invoice)
  const { paper, say, since } = await readInvoice(ctx, invoice)
  const before = await ctx
    .from('invoice_reminders')
    .select((eb) => [eb.fn.sum<string | null>('fee').as('fees'), eb.fn.countAll().as('n')])
    .where('invoice_id', '=', id)
    .where('status', '=', 'sent')
    .where((eb) => eb.or([eb('days', 'is', null), eb('days', '>', 0)]))
    .executeTakeFirstOrThrow()
  const words = wordsFor(ctx, say, invoice, { step, isAgain: Number(before.n) > 0 })
  const { subject, message } = { subject: body.subject ?? words.subject, message: body.message ?? words.message }
  const fee = step?.fee && currency === ctx.tenant.currency ? decimal(step.fee).toFixed() : null
  const fees = decimal(before.fees ?? 0).plus(fee ?? 0)
  const { amount } = printed(say, currency)
  const sum = (label: string, value: string) => ({ label, value: `${currency} ${amount(value)}` })
  const facts = [
    ...printedDates(say, { due_date }),
    sum(say('total'), invoice.total),
    sum(say('balance_due'), balance_due),
    ...(fees.gt(0) ? [sum(say('reminder_fees'), fees.toFixed()), sum(say('to_pay'), fees.plus(balance_due).toFixed())] : []),
  ]
  const link = await payButton(ctx, invoice, say)
  const type = 'customer_invoice.reminded'
  const document = { type, paper, since, recipient, facts, link, isAutomatic: ctx.actor.id === null }
  const mailed = await emailDocument(ctx, document, { ...body, subject, message })
  await logActivity(ctx, invoices, id, 'reminded', { to: mailed.to, subject })
  return write(ctx, invoice, {
    ...{ days: step?.days ?? null, status: 'sent', subject, sent_to: mailed.to, fee },
    email_log_uuid: mailed.email_log_uuid,
    sent_by: ctx.actor.id,
  })
}

/** The step's own words, or those of the customer's languages; friendlier before the day, and the first time. */
function wordsFor(ctx: Ctx, say: Say, invoice: Invoice, { step, isAgain }: { step?: ReminderStep; isAgain: boolean }) {
  const { number, title, currency, balance_due } = invoice
  const day = invoice.due_date ?? invoice.issue_date ?? ctx.today()
  const amount = (locale: string) => `${currency} ${formatAmount(balance_due, currency, locale)}`
  const due = (locale: string) => localDay(day, locale)
  const kind = day >= ctx.today() ? 'upcoming' : isAgain ? 'again' : 'first'
  const own = { number, title, amount: amount(say.locale), due: due(say.locale) }
  const asked = say.each(`reminder_${kind}_body`, { number, amount, due })
  const thanked = say.each('reminder_paid_already')
  const sentences = asked.map((sentence, n) => `${sentence} ${thanked[n]}`)
  return {
    subject: step?.subject ? filled(step.subject, own) : say(`reminder_${kind}_subject`, { number }),
    message: step?.message ? filled(step.message, own) : sentences.join('\n\n'),
  }
}

type Written = Partial<{
  subject: string
  sent_to: string[]
  fee: string | null
  email_log_uuid: string
  sent_by: number | null
}> & { days: number | null; status: (typeof REMINDER_STATES)[number] }

/** Writes a reminder down, in place of one of that step that wasn't mailed. Its id. */
async function write(ctx: Ctx, { id: invoice_id }: Invoice, written: Written): Promise<number> {
  const row = await ctx.tx
    .insertInto('invoice_reminders')
    .values({ tenant_id: ctx.tenant.id, invoice_id, ...written, created_at: ctx.now, updated_at: ctx.now })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'invoice_id', 'days'])
        .doUpdateSet({ ...written, updated_at: ctx.now })
        .where('invoice_reminders.status', '<>', 'sent'),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** Ends or resumes the plan's reminders of one invoice; by hand it can still be reminded of. */
export async function pauseReminders(ctx: Ctx, invoice: Invoice, isPaused: boolean) {
  if (invoice.exclude_from_reminders === isPaused) return
  await invoices.save(ctx, invoice, { exclude_from_reminders: isPaused })
  await logActivity(ctx, invoices, invoice.id, isPaused ? 'reminders_paused' : 'reminders_resumed')
}
