import { limiter } from '#kernel/http/limits.ts'
import { workspace } from '#kernel/http/route.ts'
import { drawPdf } from '#kernel/pdf/drawing.ts'
import { action, recordRoutes, storyRoutes } from '#kernel/records/routes.ts'
import { apply, unapply } from './applying.ts'
import { create, creditNoteList, creditNoteStats, creditNotes, issue, remove, update, voidCreditNote } from './credit-notes.ts'
import { creditNotePdf } from './pdf.ts'
import { ApplyCreditNote, CreateCreditNote, UnapplyCreditNote, UpdateCreditNote } from './schema.ts'

/** As `invoices-pdf` in the contract. */
const creditNotePdfs = limiter({ name: 'credit-notes-pdf', points: 30, seconds: 60, by: 'user' })

export default [
  ...recordRoutes(creditNotes, {
    list: creditNoteList,
    stats: creditNoteStats,
    body: CreateCreditNote,
    changes: UpdateCreditNote,
    create,
    update,
    remove,
  }),
  ...storyRoutes(creditNotes),
  action(creditNotes, '/:id/issue', { allow: 'credit-notes.issue', message: 'Credit note issued.' }, issue),
  action(
    creditNotes,
    '/:id/apply',
    { allow: 'credit-notes.apply', body: ApplyCreditNote, message: 'Credit note applied.' },
    apply,
  ),
  action(
    creditNotes,
    '/:id/unapply',
    { allow: 'credit-notes.apply', body: UnapplyCreditNote, message: 'Credit note taken back.' },
    unapply,
  ),
  action(creditNotes, '/:id/void', { allow: 'credit-notes.void', message: 'Credit note voided.' }, voidCreditNote),
  workspace.get(
    '/:id/pdf',
    { allow: 'credit-notes.view', limit: creditNotePdfs, file: 'application/pdf' },
    async (ctx, { id }) => {
      const note = await creditNotes.find(ctx, id)
      const drawing = await creditNotePdf(ctx, note)
      const content = () => drawPdf(ctx.services, ctx.tenant.id, drawing)
      return { name: `${note.number}.pdf`, type: 'application/pdf', content }
    },
  ),
]
