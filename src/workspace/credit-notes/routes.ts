import { action, activityRoutes, recordRoutes } from '#kernel/http/record-routes.ts'
import { paperRoutes } from '#workspace/issued-documents/public.ts'
import { apply, unapply } from './applying.ts'
import { create, creditNoteList, creditNoteStats, creditNotes, remove, update, voidCreditNote } from './credit-notes.ts'
import { issueCreditNote } from './issuing.ts'
import { creditNotePdf } from './pdf.ts'
import { ApplyCreditNote, CreateCreditNote, UnapplyCreditNote, UpdateCreditNote } from './schema.ts'

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
  ...activityRoutes(creditNotes),
  action(creditNotes, '/:id/issue', { allow: 'credit-notes.issue', message: 'Credit note issued.' }, issueCreditNote),
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
  ...paperRoutes(creditNotes, 'credit-notes-pdf', creditNotePdf),
]
