/** Sends an invoice: from then on the customer owes it (INV-37). This doesn't mail it. */
import type { Ctx } from '#kernel/context.ts'
import { emit } from '#kernel/modules/events.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { type StoredOfferLine, storedLines } from '#workspace/billing-documents/public.ts'
import { checkBeforeIssue, noteParticulars, refuseWithoutVatId } from '#workspace/e-invoices/public.ts'
import { issue } from '#workspace/issued-documents/public.ts'
import { invoiceAsData } from './e-invoice.ts'
import { type Invoice, invoices } from './invoices.ts'
import { issueSoon } from './issuing.ts'
import { lifecycle } from './lifecycle.ts'
import { issuableInvoice } from './pdf.ts'
import { beginning, checkBeginning, isOver } from './recurrence.ts'
import { type Frequency, invoiceLines } from './schema.ts'

/** draft → unpaid, dated today if it has no date; a recurring draft becomes an active series (INV-42, INV-43). */
export async function send(ctx: Ctx, invoice: Invoice) {
  lifecycle.check('send', invoice.status)
  await refuseWithoutVatId(ctx, invoice, await storedLines<StoredOfferLine>(ctx, invoiceLines, invoice.id), { isIssued: true })
  await checkBeforeIssue(ctx, invoiceAsData, invoice)
  await noteParticulars(ctx, invoiceAsData, invoice)
  const issue_date = invoice.issue_date ?? ctx.today()
  const { is_recurring, recurrence_frequency, recurrence_next_issue_on: chosen, recurrence_ends_on: ends } = invoice
  const series = is_recurring ? beginning(issue_date, recurrence_frequency as Frequency, chosen) : null
  if (series) {
    const { recurrence_next_issue_on: next } = series
    await checkBeginning(ctx, { issue_date, due_date: invoice.due_date, next, frequency: recurrence_frequency })
  }
  const over = series && isOver(series.recurrence_next_issue_on, ends)
  const status = series && ({ recurrence_status: over ? 'ended' : 'active' } as const)
  await lifecycle.move(ctx, invoices, invoice, 'send', { issue_date, ...series, ...status })
  await issue(ctx, issuableInvoice, [invoice.id])
  if (series) await logActivity(ctx, invoices, invoice.id, 'recurrence_started', { next_on: series.recurrence_next_issue_on })
  if (over) await logActivity(ctx, invoices, invoice.id, 'recurrence_stopped', { reason: 'over' })
  if (series && !over) await issueSoon(ctx, series.recurrence_next_issue_on)
  await emit(ctx, 'invoice.sent', { invoice_id: invoice.id })
}
