import { action, activityRoutes, recordRoutes } from '#kernel/http/record-routes.ts'
import { draftsOnly } from '#kernel/records/machine.ts'
import { eInvoiceRoutes } from '#workspace/e-invoices/public.ts'
import { paperRoutes, previewRoutes } from '#workspace/issued-documents/public.ts'
import { apply, refuseApplying, refuseUnapplying, unapply } from './applying.ts'
import {
  create,
  creditNoteList,
  creditNoteStats,
  creditNotes,
  refuseDeletion,
  refuseVoiding,
  update,
  voidCreditNote,
} from './credit-notes.ts'
import { creditNoteAsData } from './e-invoice.ts'
import { issueCreditNote } from './issuing.ts'
import { creditNotePdf, issuableCreditNote } from './pdf.ts'
import { ApplyCreditNote, CreateCreditNote, UnapplyCreditNote, UpdateCreditNote } from './schema.ts'

const kept = {
  body: CreateCreditNote,
  changes: UpdateCreditNote,
  create,
  update,
  guards: { update: draftsOnly(creditNotes), remove: refuseDeletion },
}

export default [
  ...recordRoutes(creditNotes, { list: creditNoteList, stats: creditNoteStats, ...kept }),
  ...activityRoutes(creditNotes),
  action(
    creditNotes,
    '/:id/issue',
    {
      allow: 'credit-notes.issue',
      grants: false,
      message: 'Credit note issued.',
      description: 'Issues a draft: its lines are fixed and frozen as printed, and its total can be applied to invoices.',
    },
    issueCreditNote,
  ),
  action(
    creditNotes,
    '/:id/apply',
    {
      allow: 'credit-notes.apply',
      grants: false,
      body: ApplyCreditNote,
      guard: refuseApplying,
      message: 'Credit note applied.',
      description:
        'Uses an amount of the credit note on an unpaid invoice of the same currency, and of the same customer where both name one. No more than is left of either.',
    },
    apply,
  ),
  action(
    creditNotes,
    '/:id/unapply',
    {
      allow: 'credit-notes.apply',
      grants: false,
      body: UnapplyCreditNote,
      guard: refuseUnapplying,
      message: 'Credit note taken back.',
      description: 'Takes back what was applied to an invoice, which is owed again.',
    },
    unapply,
  ),
  action(
    creditNotes,
    '/:id/void',
    {
      allow: 'credit-notes.void',
      grants: false,
      guard: refuseVoiding,
      message: 'Credit note voided.',
      description: 'Makes the credit note count for nothing. 422 on `status` while any of it is applied.',
    },
    voidCreditNote,
  ),
  ...paperRoutes(creditNotes, 'credit-notes-pdf', creditNotePdf),
  ...previewRoutes(creditNotes, issuableCreditNote, kept),
  ...eInvoiceRoutes(creditNoteAsData),
]
