/** The invoice on paper (INV-60 … INV-64): what it says, frozen when it is issued, and what was paid of it since. */
import type { Ctx } from '#kernel/context.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { readByIds } from '#kernel/records/view.ts'
import { decimal } from '#kernel/values/money.ts'
import {
  chipOf,
  drawingOf,
  type Paper,
  printed,
  printedDates,
  printedDelivery,
  recipientsOf,
  type Since,
  stationeryOf,
  taxNotices,
} from '#workspace/billing-documents/public.ts'
import { type Say, wordsOf } from '#workspace/document-texts/public.ts'
import { dataToFreeze } from '#workspace/e-invoices/public.ts'
import { type Issuable, paperOf } from '#workspace/issued-documents/public.ts'
import { enabledMethods, paymentsReceived, transferBlock } from '#workspace/payments/public.ts'
import { invoiceAsData } from './e-invoice.ts'
import { type Invoice, invoices } from './invoices.ts'
import { InvoiceDetail } from './schema.ts'

const Printed = InvoiceDetail.pick({
  ...{
    id: true,
    number: true,
    title: true,
    currency: true,
    issue_date: true,
    due_date: true,
    contact_id: true,
    company_id: true,
  },
  ...{ subtotal: true, discount_total: true, tax_total: true, total: true, notes: true, terms_and_conditions: true },
  ...{ lines: true, tax_breakdown: true },
  ...{
    delivery_date: true,
    delivery_period_start: true,
    delivery_period_end: true,
    order_reference: true,
    buyer_reference: true,
  },
})

export const issuableInvoice: Issuable = {
  of: invoices,
  async papers(ctx, ids) {
    const read = await readByIds(ctx, Printed, 'invoices', ids)
    const [recipientFor, stationeryFor, transfer] = await Promise.all([
      recipientsOf(ctx, read),
      stationeryOf(ctx),
      transferTo(ctx),
    ])
    return new Map(
      read.map((invoice): [number, Paper] => {
        const { number, title, currency, issue_date, due_date, lines, total } = invoice
        const recipient = recipientFor(invoice)
        const { branding, written, say } = stationeryFor(recipient.languages)
        const print = printed(say, currency)
        const customer = recipient.printed(say)
        const says = {
          ...branding,
          kind: say('kind_invoice'),
          ...{ number, title, issued_on: issue_date, currency },
          dates: [...printedDates(say, { issue_date, due_date }), ...printedDelivery(say, invoice, recipient.reference)],
          recipient: customer && { label: say('bill_to'), ...customer },
          lines: lines.map(print.line),
          ...print.totals(invoice),
          tax_notices: taxNotices(say, invoice.lines),
          settlement: [{ label: say('balance_due'), value: print.amount(total), strong: true }],
          transfer: transfer?.(say, invoice, String(total), print.amount(total)),
          notes_html: invoice.notes,
          terms_html: invoice.terms_and_conditions,
        }
        return [invoice.id, { printed: says, ...written }]
      }),
    )
  },
  asData: (ctx, ids, written) => dataToFreeze(ctx, invoiceAsData, ids, written),
}

/** How invoices are paid by transfer; undefined where the workspace offers none. */
async function transferTo(ctx: Ctx) {
  const method = ctx.entitled('payments') && (await enabledMethods(ctx)).get('bank_transfer')
  if (!method) return undefined
  return (say: Say, invoice: Pick<Invoice, 'number' | 'currency'>, amount: string, written: string) =>
    decimal(amount).gt(0) ? transferBlock(say, method, invoice, amount, written) : null
}

/** Its paper, and what has become of the invoice, read now, in the transaction. */
export async function readInvoice(ctx: Ctx, { id }: Invoice): Promise<{ paper: Paper; say: Say; since: Since }> {
  const paper = await paperOf(ctx, issuableInvoice, id)
  const invoice = await invoices.loadDetailUnscoped(ctx, id)
  const say = await wordsOf(ctx, paper)
  const { amount } = printed(say, invoice.currency)
  const taken = (label: string, value: number | string) => (decimal(value).eq(0) ? [] : [{ label, value: `−${amount(value)}` }])
  const transfer = invoice.status === 'unpaid' ? await transferTo(ctx) : undefined
  const since = {
    transfer: transfer?.(say, invoice, String(invoice.balance_due), amount(invoice.balance_due)) ?? null,
    status: chipOf(say, invoice.display_status),
    settlement: [
      ...taken(say('paid'), invoice.amount_paid),
      ...taken(say('credited'), invoice.amount_credited),
      { label: say('balance_due'), value: amount(invoice.balance_due), strong: true },
    ],
    tables: paymentsReceived(say, paper.timezone, invoice.payment_allocations, amount),
  }
  return { paper, say, since }
}

/** What the invoice's PDF shows; it is drawn later. */
export async function invoicePdf(ctx: Ctx, invoice: Invoice): Promise<PdfSpec> {
  const { paper, since } = await readInvoice(ctx, invoice)
  return drawingOf(paper, since)
}
