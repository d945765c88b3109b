/** Quotations and estimates: documents that offer a customer something at a price until a day. What is sent and shown of either. */
import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { nameRef, userRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import {
  choice,
  currency,
  date,
  formatted,
  money,
  optionalDate,
  optionalRef,
  refId,
  stamps,
  text,
} from '#kernel/values/fields.ts'
import { optionalHtml } from '#kernel/values/html.ts'
import { type LineTable, linesField, linesOf, OfferLineInput, offerLine } from './lines.ts'
import { taxBreakdown } from './tax-breakdown.ts'
import { DISCOUNT_TYPES } from './totals.ts'

/** Whom a document is for, as it is sent. */
export const customerInput = { contact_id: optionalRef('contact'), company_id: optionalRef('company') }

export const offerInput = {
  title: text(255),
  ...customerInput,
  currency: currency().optional(),
  valid_until: optionalDate(),
  line_discount_type: choice(DISCOUNT_TYPES).default('none'),
  notes: optionalHtml(),
  terms_and_conditions: optionalHtml(),
  assigned_to: assignee(),
  lines: linesOf(OfferLineInput),
}

/** Whom a document is for and by whom it is made, as it is shown. */
export const partiesShown = {
  contact_id: z.int().nullable(),
  company_id: z.int().nullable(),
  contact: nameRef('contact_id', 'contact'),
  company: nameRef('company_id', 'company'),
  assigned_to: z.int().nullable(),
  assignee: userRef('assigned_to'),
  creator: userRef('created_by'),
  latest_note: latestNote(),
}

/** What a list shows of an offer, beside its status. */
export const offerShown = {
  id: z.int(),
  number: z.string(),
  title: z.string(),
  currency: formatted('currency'),
  issued_on: date().nullable(),
  valid_until: date().nullable(),
  line_discount_type: choice(DISCOUNT_TYPES),
  subtotal: money(),
  discount_total: money(),
  tax_total: money(),
  total: money(),
  converted_invoice_id: refId('invoice').nullable(),
  ...partiesShown,
  ...stamps,
}

/** What its own page adds. `notes` is the offer's own text; its notes are `note_entries`. */
export const offerDetail = (lines: LineTable, lineName: string) => ({
  notes: formatted('html').nullable(),
  terms_and_conditions: formatted('html').nullable(),
  lines: linesField(lines, lineName, offerLine),
  tax_breakdown: taxBreakdown(lines),
  note_entries: newestNotes(),
  activities: activities(),
})

/** What is printed of an offer: a choice of its detail view, for `pick`. */
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
