/** A receipt: what was paid, frozen when the payment is posted, and which invoices were paid by it since. */
import type { Ctx } from '#kernel/context.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { readByIds } from '#kernel/records/view.ts'
import { dateIn } from '#kernel/values/time.ts'
import { humanised } from '#kernel/values/words.ts'
import {
  brandingOf,
  chipOf,
  drawingOf,
  type Paper,
  printed,
  type Recipient,
  recipientOf,
  recipientsOf,
} from '#workspace/billing-documents/public.ts'
import { type Issuable, paperOf } from '#workspace/issued-documents/public.ts'
import { type Payment, payments } from './payments.ts'
import { PaymentDetail } from './schema.ts'

const Printed = PaymentDetail.pick({
  ...{ id: true, number: true, currency: true, amount: true, method: true, reference: true, paid_at: true },
  ...{ contact_id: true, company_id: true, allocations: true },
})

export const issuableReceipt: Issuable = {
  of: payments,
  async papers(ctx, ids) {
    const read = await readByIds(ctx, Printed, 'payments', ids)
    const [recipientFor, { branding, written }] = await Promise.all([recipientsOf(ctx, read), brandingOf(ctx)])
    return new Map(
      read.map((payment): [number, Paper] => {
        const { number, currency, amount } = payment
        const print = printed(written.locale, currency)
        const says = {
          ...branding,
          kind: 'Receipt',
          number,
          ...howPaid(payment, written.timezone),
          recipient: payerOf(recipientFor(payment)),
          currency,
          totals: [{ label: 'Amount', value: print.amount(amount), strong: true }],
          tables: invoicesPaid(payment.allocations, print.amount),
        }
        return [payment.id, { printed: says, ...written }]
      }),
    )
  },
}

const payerOf = ({ printed }: Recipient) => printed && { label: 'Received from', ...printed }

/** Whom a receipt names, where that is corrected. */
export const receivedFrom = async (ctx: Ctx, named: Pick<Payment, 'contact_id' | 'company_id'>) =>
  payerOf(await recipientOf(ctx, named))

/** What a posted payment may still be described better by. */
function howPaid({ method, reference, paid_at }: Pick<Payment, 'method' | 'reference' | 'paid_at'>, timezone: string) {
  const paidOn = dateIn(timezone, paid_at)
  const dates = [
    { label: 'Paid on', value: paidOn },
    { label: 'Method', value: humanised(method) },
    { label: 'Reference', value: reference ?? '' },
  ]
  return { issued_on: paidOn, dates: dates.filter(({ value }) => value) }
}

interface Allocation {
  amount: number
  invoice: { number: string; title: string } | null
}

/** Invoices that the reader may not see have no name there. */
function invoicesPaid(allocations: Allocation[], print: (amount: number) => string) {
  const rows = allocations.map(({ invoice, amount }) => [invoice?.number ?? '', invoice?.title ?? '', print(amount)])
  return rows.length ? [{ title: 'Invoices paid', headers: ['Number', 'Title', 'Amount'], rows }] : []
}

/** What the receipt's PDF shows; it is drawn later. */
export async function receiptPdf(ctx: Ctx, { id }: Payment): Promise<PdfSpec> {
  const paper = await paperOf(ctx, issuableReceipt, id)
  const payment = await payments.loadDetailUnscoped(ctx, id)
  return drawingOf(paper, {
    ...howPaid(payment, paper.timezone),
    status: chipOf(payment.status),
    tables: invoicesPaid(payment.allocations, printed(paper.locale, payment.currency).amount),
  })
}
