/** The invoice as a customer sees it through a pay link. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import { instant, shownOnce } from '#kernel/values/fields.ts'
import { assertRecipientViewable, drawingOf } from '#workspace/billing-documents/public.ts'
import { issuePayLink } from '#workspace/payments/public.ts'
import { type Invoice, invoices } from './invoices.ts'
import { readInvoice } from './pdf.ts'

export const PayLink = z
  .object({
    url: shownOnce().meta({
      description: 'Address of the page to pay it on. Told this once.',
      examples: ['https://atrium.example/pay/invoices/Jm3rVtq0o8nWc5xYb1dKfA'],
    }),
    expires_at: instant().describe('Until when the link is good.'),
  })
  .meta({ id: 'InvoicePayLink' })

/** Issues another pay link. 403 for an actor who may not view the customer, because the pay page contains the whole PDF. */
export async function payLink(ctx: Ctx, invoice: Invoice): Promise<z.input<typeof PayLink>> {
  assertRecipientViewable(ctx, invoice)
  const { url, expires_at } = await issuePayLink(ctx, invoice.id)
  return { url, expires_at }
}

/** Returns an issued invoice with its print model and its current state; 404 for drafts and deleted ones. */
export async function invoiceToPay(ctx: Ctx, id: number) {
  const invoice = await invoices.find(ctx, id)
  if (invoice.status === 'draft') throw notFound('There is no such invoice.')
  const { paper, say, since, transferOf } = await readInvoice(ctx, invoice)
  return { invoice, paper, say, since, transferOf, drawing: drawingOf(paper, since) }
}
