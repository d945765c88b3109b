/** Payment receipt: its content is frozen when the payment is posted; the list of paid invoices is current. */
import type { Ctx } from '#kernel/context.ts'
import { forbidden } from '#kernel/errors.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { readByIds } from '#kernel/records/view.ts'
import { dateIn } from '#kernel/values/time.ts'
import {
  chipOf,
  drawingOf,
  type Paper,
  printed,
  printedDates,
  type Recipient,
  recipientOf,
  recipientsOf,
  stationeryOf,
} from '#workspace/billing-documents/public.ts'
import { type Say, wordsOf } from '#workspace/document-texts/public.ts'
import { correct, type Issuable, paperOf } from '#workspace/issued-documents/public.ts'
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
    const [recipientFor, stationeryFor] = await Promise.all([recipientsOf(ctx, read), stationeryOf(ctx)])
    return new Map(
      read.map((payment): [number, Paper] => {
        const { number, currency, amount } = payment
        const recipient = recipientFor(payment)
        const { branding, written, say } = stationeryFor(recipient.languages)
        const print = printed(say, currency)
        const says = {
          ...branding,
          kind: say('kind_receipt'),
          number,
          ...howPaid(say, payment, written.timezone),
          recipient: payerOf(say, recipient),
          currency,
          totals: [{ label: say('amount'), value: print.amount(amount), strong: true }],
          tables: invoicesPaid(say, payment.allocations, print.amount),
        }
        return [payment.id, { printed: says, ...written }]
      }),
    )
  },
}

function payerOf(say: Say, recipient: Recipient) {
  const payer = recipient.printed(say)
  return payer && { label: say('received_from'), ...payer }
}

/** Replaces the payer on an issued receipt, in the receipt's languages. */
export async function correctPayer(ctx: Ctx, id: number, named: Pick<Payment, 'contact_id' | 'company_id'>) {
  const say = await wordsOf(ctx, await paperOf(ctx, issuableReceipt, id))
  await correct(ctx, issuableReceipt, id, { recipient: payerOf(say, await recipientOf(ctx, named)) })
}

/** Prints the parts of a posted payment's description that can still change. */
function howPaid(say: Say, { method, reference, paid_at }: Pick<Payment, 'method' | 'reference' | 'paid_at'>, timezone: string) {
  const paidOn = dateIn(timezone, paid_at)
  const dates = [
    ...printedDates(say, { paid_on: paidOn }),
    { label: say('method'), value: say(`method_${method}`) },
    { label: say('reference'), value: reference ?? '' },
  ]
  return { issued_on: paidOn, dates: dates.filter(({ value }) => value) }
}

interface Allocation {
  amount: number
  invoice: { number: string; title: string } | null
}

/** Omits the number and title of invoices that the reader may not see. */
function invoicesPaid(say: Say, allocations: Allocation[], print: (amount: number) => string) {
  const rows = allocations.map(({ invoice, amount }) => [invoice?.number ?? '', invoice?.title ?? '', print(amount)])
  const headers = [say('number'), say('title'), say('amount')]
  return rows.length ? [{ title: say('invoices_paid'), headers, rows }] : []
}

/**
 * 403 for a reader who may not see each invoice on the receipt: the original file contains all of them, while the current PDF
 * omits them.
 */
export async function refuseUnseen(ctx: Ctx, { id }: Payment) {
  const { allocations } = await payments.loadDetailUnscoped(ctx, id)
  if (allocations.some(({ invoice }) => !invoice))
    throw forbidden('The receipt as it was issued names invoices that you may not see. Its PDF leaves them out.')
}

/** Returns the specification of the receipt's PDF, which is rendered later. */
export async function receiptPdf(ctx: Ctx, { id }: Payment): Promise<PdfSpec> {
  const paper = await paperOf(ctx, issuableReceipt, id)
  const say = await wordsOf(ctx, paper)
  const payment = await payments.loadDetailUnscoped(ctx, id)
  return drawingOf(paper, {
    ...howPaid(say, payment, paper.timezone),
    status: chipOf(say, payment.status),
    tables: invoicesPaid(say, payment.allocations, printed(say, payment.currency).amount),
  })
}
