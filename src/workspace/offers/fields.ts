/** Input, views and print model of offers, shared by all kinds. */
import { sql } from 'kysely'
import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { filter } from '#kernel/records/listing.ts'
import { newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import {
  changesOf,
  choice,
  currency,
  date,
  formatted,
  money,
  optionalDate,
  optionalText,
  refId,
  stamps,
  text,
} from '#kernel/values/fields.ts'
import { optionalHtml } from '#kernel/values/html.ts'
import {
  customerInput,
  DISCOUNT_TYPES,
  type LineTable,
  linesField,
  linesOf,
  OfferLineInput,
  offerLine,
  partiesShown,
  taxBreakdown,
} from '#workspace/billing-documents/public.ts'
import { issuedDocument } from '#workspace/issued-documents/public.ts'

/** Input of a new offer. */
export const OfferInput = z.object({
  title: text(255),
  ...customerInput,
  currency: currency().optional(),
  valid_until: optionalDate(),
  line_discount_type: choice(DISCOUNT_TYPES).default('none'),
  notes: optionalHtml(),
  terms_and_conditions: optionalHtml(),
  assigned_to: assignee(),
  lines: linesOf(OfferLineInput),
})
/** Omitted fields stay unchanged; sent lines replace the whole set. */
export const OfferChanges = changesOf(OfferInput)
/** The customer's reason. */
export const RefusalInput = z.object({ reason: optionalText(1000) })

/** Filter `?converted=false`: offers without an invoice. */
export const isConverted = filter.holds((_, column) => sql`${column('converted_invoice_id')} is not null`)

/** Fields of an offer in lists, in addition to its status. */
export const offerShown = {
  id: z.int(),
  number: z.string(),
  title: z.string(),
  currency: formatted('currency'),
  issued_on: date().nullable().describe('Day on which it was issued; null: it is a draft.'),
  valid_until: date()
    .nullable()
    .describe('Last day on which the customer may accept it, in the calendar of the workspace; null: no end.'),
  line_discount_type: choice(DISCOUNT_TYPES),
  subtotal: money(),
  discount_total: money(),
  tax_total: money(),
  total: money(),
  converted_invoice_id: refId('invoice')
    .nullable()
    .meta({ description: 'Id of the invoice that was made of it; null: none yet.', examples: [12] }),
  ...partiesShown,
  ...stamps,
}

/** Additional fields of the detail view. `notes` is the offer's own text; its notes are `note_entries`. */
export const offerDetail = (lines: LineTable, lineName: string) => ({
  notes: formatted('html').nullable(),
  terms_and_conditions: formatted('html').nullable(),
  lines: linesField(lines, lineName, offerLine),
  tax_breakdown: taxBreakdown(lines),
  note_entries: newestNotes(),
  activities: activities(),
  issued_document: issuedDocument(),
})

/** Detail view fields that all offers share. */
export type OfferDetail = typeof offerShown & ReturnType<typeof offerDetail>

/** Printed fields of the detail view, for `pick`. */
export const offerPrinted = {
  id: true,
  number: true,
  title: true,
  currency: true,
  issued_on: true,
  valid_until: true,
  contact_id: true,
  company_id: true,
  subtotal: true,
  discount_total: true,
  tax_total: true,
  total: true,
  notes: true,
  terms_and_conditions: true,
  lines: true,
  tax_breakdown: true,
} as const
