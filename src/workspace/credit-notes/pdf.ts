/** The credit note on paper: what it says, frozen when it is issued. */
import type { Ctx } from '#kernel/context.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { readByIds } from '#kernel/records/view.ts'
import {
  brandingOf,
  chipOf,
  drawingOf,
  type Paper,
  printed,
  recipientsOf,
  taxNotices,
} from '#workspace/billing-documents/public.ts'
import { type Issuable, paperOf } from '#workspace/issued-documents/public.ts'
import { type CreditNote, creditNotes } from './credit-notes.ts'
import { CreditNoteDetail } from './schema.ts'

const Printed = CreditNoteDetail.pick({
  ...{ id: true, number: true, title: true, currency: true, issue_date: true, contact_id: true, company_id: true },
  ...{ subtotal: true, discount_total: true, tax_total: true, total: true, lines: true, tax_breakdown: true },
})

export const issuableCreditNote: Issuable = {
  of: creditNotes,
  async papers(ctx, ids) {
    const read = await readByIds(ctx, Printed, 'credit_notes', ids)
    const [recipientFor, { branding, written }] = await Promise.all([recipientsOf(ctx, read), brandingOf(ctx)])
    return new Map(
      read.map((note): [number, Paper] => {
        const { number, title, currency, issue_date } = note
        const recipient = recipientFor(note).printed
        const print = printed(written.locale, currency)
        const says = {
          ...branding,
          kind: 'Credit note',
          ...{ number, title, issued_on: issue_date, currency },
          dates: issue_date ? [{ label: 'Issue date', value: issue_date }] : [],
          recipient: recipient && { label: 'Credit to', ...recipient },
          lines: note.lines.map(print.line),
          ...print.totals(note),
          tax_notices: taxNotices(note.lines),
        }
        return [note.id, { printed: says, ...written }]
      }),
    )
  },
}

/** What the credit note's PDF shows; it is drawn later. */
export async function creditNotePdf(ctx: Ctx, { id, status }: CreditNote): Promise<PdfSpec> {
  return drawingOf(await paperOf(ctx, issuableCreditNote, id), { status: chipOf(status) })
}
