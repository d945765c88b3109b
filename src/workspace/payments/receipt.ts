/** A receipt: what was paid, and which invoices by it. It prints what is stored and computes nothing. */
import type { Ctx } from '#kernel/context.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { dateIn } from '#kernel/values/time.ts'
import { humanised } from '#kernel/values/words.ts'
import { billingDocument, brandingOf, customerOf, printed } from '#workspace/billing-documents/public.ts'
import { type Payment, payments } from './payments.ts'

/** What the receipt's PDF shows, read now, in the transaction; it is drawn later. Invoices that the reader may not see have no name there. */
export async function receiptPdf(ctx: Ctx, { id }: Payment): Promise<PdfSpec> {
  const payment = await payments.loadDetailUnscoped(ctx, id)
  const { number, status, currency, method, reference, allocations } = payment
  const [customer, { branding, logo }] = await Promise.all([customerOf(ctx, payment), brandingOf(ctx)])
  const print = printed(ctx.tenant.locale, currency)
  const paidOn = dateIn(ctx.tenant.timezone, payment.paid_at)
  const rows = allocations.map(({ invoice, amount }) => [invoice?.number ?? '', invoice?.title ?? '', print.amount(amount)])
  const document = {
    ...branding,
    kind: 'Receipt',
    number,
    status: status === 'voided' ? 'Voided' : null,
    issued_on: paidOn,
    dates: [
      { label: 'Paid on', value: paidOn },
      { label: 'Method', value: humanised(method) },
      { label: 'Reference', value: reference ?? '' },
    ].filter(({ value }) => value),
    recipient: customer.printed && { label: 'Received from', ...customer.printed },
    currency,
    totals: [{ label: 'Amount', value: print.amount(payment.amount), strong: true }],
    tables: rows.length ? [{ title: 'Invoices paid', headers: ['Number', 'Title', 'Amount'], rows }] : [],
  }
  return billingDocument(document, { logo })
}
