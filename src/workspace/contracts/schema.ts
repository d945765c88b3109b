import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { extended, view } from '#kernel/records/view.ts'
import {
  amount,
  changesOf,
  choice,
  currency,
  date,
  formatted,
  money,
  optionalDate,
  refId,
  stamps,
  text,
} from '#kernel/values/fields.ts'
import { optionalHtml } from '#kernel/values/html.ts'
import { signatureField } from '#workspace/acceptance/public.ts'
import { customerInput, partiesShown } from '#workspace/billing-documents/public.ts'
import { issuedDocument } from '#workspace/issued-documents/public.ts'
import { lifecycle } from './lifecycle.ts'

export const CreateContract = z.object({
  title: text(255),
  ...customerInput,
  body: optionalHtml(),
  starts_on: optionalDate(),
  ends_on: optionalDate(),
  value: amount().nullish(),
  currency: currency().optional(),
  assigned_to: assignee(),
})
export const UpdateContract = changesOf(CreateContract)

export const Contract = view('contracts', 'Contract', {
  id: z.int(),
  number: z.string(),
  title: z.string(),
  status: choice(lifecycle.states),
  starts_on: date().nullable().describe('First day of the contract.'),
  ends_on: date().nullable().describe('Last day of the contract, on or after `starts_on`; null: open.'),
  value: money()
    .nullable()
    .meta({
      description: 'What the contract is worth in all, in `currency`; an invoice that is made of it is over this amount.',
      examples: [12000],
    }),
  currency: formatted('currency'),
  issued_on: date().nullable().describe('Day on which it was sent; null: it is a draft.'),
  converted_invoice_id: refId('invoice')
    .nullable()
    .meta({ description: 'Id of the invoice that was made of it; null: none yet.', examples: [12] }),
  ...partiesShown,
  ...stamps,
})

export const ContractDetail = extended(Contract, 'ContractDetail', {
  body: formatted('html').nullable(),
  issued_document: issuedDocument(),
  signature: signatureField(),
  note_entries: newestNotes(),
  activities: activities(),
})

/** Fields that are printed of a contract. */
export const PrintedContract = ContractDetail.pick({
  ...{ id: true, number: true, title: true, currency: true, issued_on: true, starts_on: true, ends_on: true },
  ...{ contact_id: true, company_id: true, body: true, value: true },
})
