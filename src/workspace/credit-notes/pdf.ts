/** The printed credit note: its content, frozen when it is issued. */
import type { Ctx } from '#kernel/context.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { readByIds } from '#kernel/records/view.ts'
import {
  chipOf,
  drawingOf,
  type Paper,
  printed,
  printedCorrection,
  printedDates,
  printedDelivery,
  recipientsOf,
  stationeryOf,
  taxNotices,
} from '#workspace/billing-documents/public.ts'
import { wordsOf } from '#workspace/document-texts/public.ts'
import { dataToFreeze } from '#workspace/e-invoices/public.ts'
import { type Issuable, paperOf } from '#workspace/issued-documents/public.ts'
import { correctedBy } from './correcting.ts'
import { type CreditNote, creditNotes } from './credit-notes.ts'
import { creditNoteAsData } from './e-invoice.ts'
import { CreditNoteDetail } from './schema.ts'

const Printed = CreditNoteDetail.pick({
  ...{ id: true, number: true, title: true, currency: true, issue_date: true, contact_id: true, company_id: true },
  ...{ subtotal: true, discount_total: true, tax_total: true, total: true, lines: true, tax_breakdown: true },
  ...{
    delivery_date: true,
    delivery_period_start: true,
    delivery_period_end: true,
    order_reference: true,
    buyer_reference: true,
  },
})

/** Credit notes as documents that are issued. */
export const issuableCreditNote: Issuable = {
  of: creditNotes,
  async papers(ctx, ids) {
    const read = await readByIds(ctx, Printed, 'credit_notes', ids)
    const [recipientFor, stationeryFor, corrected] = await Promise.all([
      recipientsOf(ctx, read),
      stationeryOf(ctx),
      correctedBy(ctx, ids),
    ])
    return new Map(
      read.map((note): [number, Paper] => {
        const { number, title, currency, issue_date } = note
        const recipient = recipientFor(note)
        const { branding, written, say } = stationeryFor(recipient.languages)
        const customer = recipient.printed(say)
        const print = printed(say, currency)
        const says = {
          ...branding,
          kind: say('kind_credit_note'),
          ...{ number, title, issued_on: issue_date, currency },
          dates: [
            ...printedDates(say, { issue_date }),
            ...printedCorrection(say, corrected.get(note.id)),
            ...printedDelivery(say, note, recipient.reference),
          ],
          recipient: customer && { label: say('credit_to'), ...customer },
          lines: note.lines.map(print.line),
          ...print.totals(note),
          tax_notices: taxNotices(say, note.lines),
        }
        return [note.id, { printed: says, ...written }]
      }),
    )
  },
  asData: (ctx, ids, written) => dataToFreeze(ctx, creditNoteAsData, ids, written),
}

/** Returns the spec of the credit note's PDF; it is rendered later. */
export async function creditNotePdf(ctx: Ctx, { id, status }: CreditNote): Promise<PdfSpec> {
  const paper = await paperOf(ctx, issuableCreditNote, id)
  return drawingOf(paper, { status: chipOf(await wordsOf(ctx, paper), status) })
}
