/** Mails an invoice to its customer (INV-54 … INV-58). */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import {
  type EmailDocument,
  emailDocument,
  mayMailAddress,
  printed,
  printedDates,
  recipientOf,
} from '#workspace/billing-documents/public.ts'
import { payButton } from '#workspace/payments/public.ts'
import { type Invoice, invoices } from './invoices.ts'
import { readInvoice } from './pdf.ts'

/** 422 on `status` for drafts and cancelled invoices. */
export function refuseMailing(_ctx: Ctx, invoice: Invoice) {
  if (invoice.status !== 'unpaid' && invoice.status !== 'paid')
    throw invalid({ status: 'Send the invoice before mailing it; cancelled ones are not mailed.' })
}

/** Queues the mail and writes it to the timeline. 422 on `to` without a recipient. */
export async function email(ctx: Ctx, invoice: Invoice, body: z.output<typeof EmailDocument>) {
  const { email: recipient } = await recipientOf(ctx, invoice)
  const { paper, say, since } = await readInvoice(ctx, invoice)
  const { currency, due_date } = invoice
  const { sum } = printed(say, currency)
  const facts = [
    ...printedDates(say, { due_date }),
    { label: say('total'), value: sum(invoice.total) },
    { label: say('balance_due'), value: sum(invoice.balance_due) },
  ]
  // The linked pay page contains the whole PDF.
  const link = mayMailAddress(ctx, invoice, recipient, body) ? await payButton(ctx, invoice, say) : undefined
  const mailed = await emailDocument(
    ctx,
    { type: 'customer_invoice.emailed', paper, say, since, recipient, row: invoice, facts, link },
    body,
  )
  await logActivity(ctx, invoices, invoice.id, 'emailed', { to: mailed.to, subject: body.subject })
  return mailed
}
