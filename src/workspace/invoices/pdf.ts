/** The invoice on paper. It prints what is stored and computes nothing (INV-60 … INV-64). */
import type { Ctx } from '#kernel/context.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { decimal } from '#kernel/values/money.ts'
import { billingDocument, brandingOf, customerOf, printed } from '#workspace/billing-documents/public.ts'
import { paymentsReceived } from '#workspace/payments/public.ts'
import { type Invoice, invoices } from './invoices.ts'

const LABELS = { draft: 'Draft', unpaid: 'Unpaid', partial: 'Partial', paid: 'Paid', cancelled: 'Cancelled' }

/** What the invoice's PDF shows, read now, in the transaction; it is drawn later. */
export async function invoicePdf(ctx: Ctx, { id }: Invoice): Promise<PdfSpec> {
  const invoice = await invoices.loadDetailUnscoped(ctx, id)
  const { currency } = invoice
  const [customer, { branding, logo }] = await Promise.all([customerOf(ctx, invoice), brandingOf(ctx)])
  const print = printed(ctx.tenant.locale, currency)
  const taken = (label: string, value: number | string) =>
    decimal(value).eq(0) ? [] : [{ label, value: `−${print.amount(value)}` }]
  const document = {
    ...branding,
    kind: 'Invoice',
    number: invoice.number,
    title: invoice.title,
    status: LABELS[invoice.display_status],
    issued_on: invoice.issue_date,
    dates: [
      { label: 'Issue date', value: invoice.issue_date ?? '' },
      { label: 'Due date', value: invoice.due_date ?? '' },
    ].filter(({ value }) => value),
    recipient: customer.printed && { label: 'Bill to', ...customer.printed },
    currency,
    lines: invoice.lines.map(print.line),
    totals: [
      ...print.totals(invoice),
      ...taken('Paid', invoice.amount_paid),
      ...taken('Credited', invoice.amount_credited),
      { label: 'Balance due', value: print.amount(invoice.balance_due), strong: true },
    ],
    tables: paymentsReceived(ctx, invoice.payment_allocations, print.amount),
    notes_html: invoice.notes,
    terms_html: invoice.terms_and_conditions,
  }
  return billingDocument(document, { logo })
}
