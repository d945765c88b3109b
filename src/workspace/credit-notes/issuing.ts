import type { Ctx } from '#kernel/context.ts'
import { emit } from '#kernel/modules/events.ts'
import { type StoredOfferLine, storedLines } from '#workspace/billing-documents/public.ts'
import { checkBeforeIssue, noteParticulars, refuseWithoutVatId } from '#workspace/e-invoices/public.ts'
import { issue } from '#workspace/issued-documents/public.ts'
import { refuseWrongInvoice } from './correcting.ts'
import { type CreditNote, creditNotes } from './credit-notes.ts'
import { creditNoteAsData } from './e-invoice.ts'
import { lifecycle } from './lifecycle.ts'
import { issuableCreditNote } from './pdf.ts'
import { creditNoteLines } from './schema.ts'

/** draft → issued, dated today. From then on it can be applied. */
export async function issueCreditNote(ctx: Ctx, note: CreditNote) {
  lifecycle.check('issue', note.status)
  await refuseWrongInvoice(ctx, note)
  await refuseWithoutVatId(ctx, note, await storedLines<StoredOfferLine>(ctx, creditNoteLines, note.id), { isIssued: true })
  await checkBeforeIssue(ctx, creditNoteAsData, note)
  await noteParticulars(ctx, creditNoteAsData, note)
  await lifecycle.move(ctx, creditNotes, note, 'issue', { issue_date: ctx.today() })
  await issue(ctx, issuableCreditNote, [note.id])
  await emit(ctx, 'credit_note.issued', { credit_note_id: note.id })
}
