import { z } from 'zod'
import { actorRef, nameRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { extended, view } from '#kernel/records/view.ts'
import {
  changesOf,
  choice,
  currency,
  decimal,
  formatted,
  instant,
  money,
  optionalRef,
  optionalText,
  ref,
  stamps,
} from '#kernel/values/fields.ts'
import { localTime } from '#kernel/values/local-time.ts'
import { issuedDocument } from '#workspace/issued-documents/public.ts'
import { lifecycle } from './lifecycle.ts'
import { settledInvoices } from './settled.ts'

export const METHODS = ['cash', 'bank_transfer', 'card', 'cheque', 'other'] as const

/** An amount above zero. */
export const positiveAmount = () => decimal({ places: 4, above: 0, max: 99_999_999_999, format: 'money' })

export const allocations = () =>
  z.array(z.object({ invoice_id: ref('invoice'), amount: positiveAmount() })).max(100, 'Must be at most 100 allocations.')

export const CreatePayment = z.object({
  amount: positiveAmount(),
  currency: currency().optional(),
  method: choice(METHODS).describe('How the money came.'),
  reference: optionalText(255),
  paid_at: localTime({ orDate: true })
    .optional()
    .meta({
      description: 'When the money came. A day alone is meant at its beginning, by the workspace’s clock. Unless sent: now.',
      examples: ['2026-11-20T09:30:00Z'],
    }),
  contact_id: optionalRef('contact'),
  company_id: optionalRef('company'),
  allocations: allocations().default([]).describe('Which invoices it pays, each by how much; never more in all than there is.'),
})
/** Allocations have their own route. */
export const UpdatePayment = changesOf(CreatePayment.omit({ allocations: true }))

export const AllocatePayment = z.object({
  allocations: allocations().min(1, 'Must be at least one allocation.').describe('Which invoices it pays, each by how much.'),
})

export const Payment = view('payments', 'Payment', {
  id: z.int(),
  uuid: z.uuid(),
  number: z.string(),
  status: choice(lifecycle.states),
  currency: formatted('currency'),
  amount: money().meta({ description: 'How much came, in `currency`.', examples: [58.8] }),
  allocated_amount: money().meta({ description: 'What was allocated to invoices; of a voided payment, until it was voided.' }),
  unallocated_amount: money().meta({ description: 'What is left to pay invoices with.' }),
  method: choice(METHODS),
  reference: z
    .string()
    .nullable()
    .meta({ description: 'What the bank or payer calls the payment.', examples: ['RF18 5390 0754'] }),
  paid_at: instant(),
  contact_id: z.int().nullable(),
  contact: nameRef('contact_id', 'contact'),
  company_id: z.int().nullable(),
  company: nameRef('company_id', 'company'),
  voided_at: instant().nullable().describe('When it was voided; null: it counts.'),
  voided_by: z
    .int()
    .nullable()
    .meta({ description: 'Id of the user who voided it; null: it counts.', examples: [7] }),
  voider: actorRef('voided_by'),
  creator: actorRef('created_by'),
  latest_note: latestNote(),
  ...stamps,
})

export const PaymentDetail = extended(Payment, 'PaymentDetail', {
  allocations: settledInvoices('PaymentAllocation', { table: 'payment_allocations', by: 'payment_id' }).describe(
    'The invoices that it pays, and what of it went to each.',
  ),
  issued_document: issuedDocument(),
  notes: newestNotes(),
  activities: activities(),
})
