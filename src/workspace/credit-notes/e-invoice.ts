/** The credit note as an e-invoice. */
import { readByIds } from '#kernel/records/view.ts'
import type { EInvoiced } from '#workspace/e-invoices/public.ts'
import { frozenData } from '#workspace/issued-documents/public.ts'
import { correctedBy } from './correcting.ts'
import { creditNotes } from './credit-notes.ts'
import { CreditNoteDetail } from './schema.ts'

const Billed = CreditNoteDetail.pick({
  ...{ id: true, number: true, title: true, currency: true, issue_date: true, contact_id: true, company_id: true },
  ...{
    delivery_date: true,
    delivery_period_start: true,
    delivery_period_end: true,
    buyer_reference: true,
    order_reference: true,
  },
  ...{ tax_total: true, total: true, lines: true },
})

/** Data of credit notes for e-invoices. */
export const creditNoteAsData: EInvoiced<'credit_notes'> = {
  of: creditNotes,
  kind: 'credit note',
  async read(ctx, ids) {
    const [notes, corrected] = await Promise.all([readByIds(ctx, Billed, 'credit_notes', ids), correctedBy(ctx, ids)])
    return notes.map((note) => ({ ...note, corrects: corrected.get(note.id) }))
  },
  frozen: (ctx, id) => frozenData(ctx, 'credit_notes', id),
}
