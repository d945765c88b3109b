import { z } from 'zod'
import { actorRef, nameRef, recordRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { extended, view } from '#kernel/records/view.ts'
import { changesOf, choice, currency, date, formatted, money, optionalRef, ref, stamps, text } from '#kernel/values/fields.ts'
import {
  DISCOUNT_TYPES,
  type LineTable,
  linesField,
  linesOf,
  OFFER_COLUMNS,
  OfferLineInput,
  offerLine,
  taxBreakdown,
} from '#workspace/billing-documents/public.ts'
import { deliveryInput, deliveryShown } from '#workspace/e-invoices/public.ts'
import { issuedDocument } from '#workspace/issued-documents/public.ts'
import { positiveAmount, settledInvoices } from '#workspace/payments/public.ts'
import { lifecycle } from './lifecycle.ts'

export const creditNoteLines: LineTable = { table: 'credit_note_lines', by: 'credit_note_id', columns: OFFER_COLUMNS }

export const CreateCreditNote = z.object({
  title: text(255),
  currency: currency().optional(),
  contact_id: optionalRef('contact'),
  company_id: optionalRef('company'),
  corrects_invoice_id: optionalRef('invoice').meta({
    description:
      'Id of the issued invoice that it corrects, of the same customer and currency; null: none. What a new credit note is not sent with, it takes over from it: customer, currency, delivery; without lines, all of its lines.',
    examples: [9],
  }),
  ...deliveryInput,
  line_discount_type: choice(DISCOUNT_TYPES).default('none'),
  lines: linesOf(OfferLineInput),
})
/** Fields that aren't sent stay unchanged; sent lines replace all lines. */
export const UpdateCreditNote = changesOf(CreateCreditNote)

export const ApplyCreditNote = z.object({ invoice_id: ref('invoice'), amount: positiveAmount() })
export const UnapplyCreditNote = ApplyCreditNote.pick({ invoice_id: true })

export const CreditNote = view('credit_notes', 'CreditNote', {
  id: z.int(),
  number: z.string(),
  title: z.string(),
  status: choice(lifecycle.states),
  currency: formatted('currency'),
  issue_date: date().nullable().describe('Day on which it was issued; null: it is a draft.'),
  contact_id: z.int().nullable(),
  contact: nameRef('contact_id', 'contact'),
  company_id: z.int().nullable(),
  company: nameRef('company_id', 'company'),
  corrects_invoice_id: z
    .int()
    .nullable()
    .meta({ description: 'Id of the invoice that it corrects; null: none.', examples: [9] }),
  corrects_invoice: recordRef('corrects_invoice_id', 'invoice', { id: z.int(), number: z.string(), title: z.string() }),
  line_discount_type: choice(DISCOUNT_TYPES),
  subtotal: money(),
  discount_total: money(),
  tax_total: money(),
  total: money(),
  amount_applied: money().meta({ description: 'What was used on invoices so far.', examples: [20] }),
  amount_remaining: money().meta({ description: 'What is left to apply; nothing of a voided one.' }),
  creator: actorRef('created_by'),
  latest_note: latestNote(),
  ...stamps,
})

export const CreditNoteDetail = extended(CreditNote, 'CreditNoteDetail', {
  ...deliveryShown,
  lines: linesField(creditNoteLines, 'CreditNoteLine', offerLine),
  tax_breakdown: taxBreakdown(creditNoteLines),
  issued_document: issuedDocument(),
  applications: settledInvoices('CreditNoteApplication', { table: 'credit_note_applications', by: 'credit_note_id' }).describe(
    'The invoices that it was used on.',
  ),
  notes: newestNotes(),
  activities: activities(),
})
