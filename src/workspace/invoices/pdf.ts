/** The printed invoice (INV-60 … INV-64): its content, frozen when it is issued, and the payments since. */
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
  printedSupply,
  recipientsOf,
  type Since,
  stationeryOf,
  taxNotices,
} from '#workspace/billing-documents/public.ts'
import { documentWords, type Say } from '#workspace/document-texts/public.ts'
import { asksSupplyDate, dataToFreeze } from '#workspace/e-invoices/public.ts'
import { type Issuable, papersOf } from '#workspace/issued-documents/public.ts'
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

/** Invoices as documents that are issued. */
export const issuableInvoice: Issuable = {
  of: invoices,
  async papers(ctx, ids) {
    const read = await readByIds(ctx, Printed, 'invoices', ids)
    const [recipientFor, stationeryFor, transfer, country] = await Promise.all([
      recipientsOf(ctx, read),
      stationeryOf(ctx),
      transferTo(ctx),
      ctx.setting('country'),
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
          tax_notices: [...taxNotices(say, invoice.lines), ...printedSupply(say, invoice, asksSupplyDate(country))],
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

/** Returns the function for an invoice's bank transfer details; undefined if the workspace doesn't offer bank transfer. */
async function transferTo(ctx: Ctx) {
  const method = ctx.entitled('payments') && (await enabledMethods(ctx)).get('bank_transfer')
  if (!method) return undefined
  return (say: Say, invoice: Pick<Invoice, 'number' | 'currency'>, amount: string, written: string) =>
    decimal(amount).gt(0) ? transferBlock(say, method, invoice, amount, written) : null
}

/** Current state of an invoice that is printed with it. */
const Settled = InvoiceDetail.pick({
  ...{ id: true, number: true, currency: true, status: true, display_status: true },
  ...{ balance_due: true, amount_paid: true, amount_credited: true, payment_allocations: true },
})

interface ReadInvoice {
  paper: Paper
  say: Say
  since: Since
  /** Bank transfer details for an amount of the invoice; null if the workspace doesn't offer bank transfer. */
  transferOf(amount: string): Since['transfer']
}

/** Returns an invoice's print model and current state, read in this transaction. */
export const readInvoice = async (ctx: Ctx, { id }: Pick<Invoice, 'id'>): Promise<ReadInvoice> =>
  (await readInvoices(ctx, [id])).get(id)!

/** Returns the print models and current states of several invoices by id, with as many statements as for one. */
export async function readInvoices(ctx: Ctx, ids: number[]): Promise<Map<number, ReadInvoice>> {
  const papers = await papersOf(ctx, issuableInvoice, ids)
  const languages = [...new Set([...papers.values()].flatMap(({ languages }) => languages))]
  const [settled, wordsIn, transfer] = await Promise.all([
    readByIds(ctx, Settled, 'invoices', ids),
    documentWords(ctx, languages),
    transferTo(ctx),
  ])
  return new Map(
    settled.map((invoice) => {
      const { id, currency, balance_due, amount_paid, amount_credited } = invoice
      const paper = papers.get(id)!
      const say = wordsIn(paper)
      const { amount } = printed(say, currency)
      const taken = (label: string, value: number) => (value === 0 ? [] : [{ label, value: `−${amount(value)}` }])
      const transferOf = (sum: string) => transfer?.(say, invoice, sum, amount(sum)) ?? null
      const since = {
        transfer: invoice.status === 'unpaid' ? transferOf(String(balance_due)) : null,
        status: chipOf(say, invoice.display_status),
        settlement: [
          ...taken(say('paid'), amount_paid),
          ...taken(say('credited'), amount_credited),
          ...(invoice.status === 'cancelled' ? [] : [{ label: say('balance_due'), value: amount(balance_due), strong: true }]),
        ],
        tables: paymentsReceived(say, paper.timezone, invoice.payment_allocations, amount),
      }
      return [id, { paper, say, since, transferOf }]
    }),
  )
}

/** Returns the spec of the invoice's PDF; it is rendered later. */
export async function invoicePdf(ctx: Ctx, invoice: Invoice): Promise<PdfSpec> {
  const { paper, since } = await readInvoice(ctx, invoice)
  return drawingOf(paper, since)
}
