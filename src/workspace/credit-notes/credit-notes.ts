/** Credit notes: users with the view permission see all of them. Drafts can be edited; issued ones are voided instead. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { filter, filterOf, listing } from '#kernel/records/listing.ts'
import { checkReferences } from '#kernel/records/references.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { createRecord } from '#kernel/records/saving.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { money, queryId } from '#kernel/values/fields.ts'
import { decimal } from '#kernel/values/money.ts'
import { priceNew, updateDraft } from '#workspace/billing-documents/public.ts'
import { incomplete, particularSentences, refuseDelivery, refuseWithoutVatId } from '#workspace/e-invoices/public.ts'
import { inFull } from '#workspace/payments/public.ts'
import { refuseWrongInvoice, takenOver } from './correcting.ts'
import { lifecycle } from './lifecycle.ts'
import { CreateCreditNote, CreditNoteDetail, CreditNote as CreditNoteItem, creditNoteLines, UpdateCreditNote } from './schema.ts'

export type CreditNote = Row<'credit_notes'>

type Applied = { invoice_id: number; number?: string; amount: number; currency: string }

export const creditNotes = resource({
  table: 'credit_notes',
  module: 'credit-notes',
  noun: 'credit note',
  title: 'number',
  item: CreditNoteItem,
  detail: CreditNoteDetail,
  numberPrefix: 'credit_notes_number_prefix',
  tallied: ['status'],
  activityTemplates: {
    ...incomplete,
    ...particularSentences,
    applied: ({ amount, currency, number = 'an invoice' }: Applied) =>
      `Applied ${inFull(currency, amount)} ${currency} to ${number}`,
    unapplied: ({ amount, currency, number = 'an invoice' }: Applied) =>
      `Took ${inFull(currency, amount)} ${currency} back from ${number}`,
  },
  timelineNames: { type: 'invoice', id: 'invoice_id', label: 'number' },
})

export const creditNoteList = listing(creditNotes, {
  search: { through: { contact_id: 'contacts', company_id: 'companies' } },
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    contact_id: filter.id('contact_id'),
    company_id: filter.id('company_id'),
    corrects_invoice_id: filter.id('corrects_invoice_id'),
    invoice_id: filterOf({
      schema: queryId(),
      where: (ctx: Ctx, id, column) => sql`${column('id')} in (
        select a.credit_note_id from credit_note_applications a where a.tenant_id = ${ctx.tenant.id} and a.invoice_id = ${id})`,
    }),
  },
})

const Credited = z.object({ currency: z.string(), total: money(), amount_remaining: money() })

/** The credited amount only includes issued notes. */
export const creditNoteStats = statsOf('CreditNoteStats', creditNoteList, {
  total: 'total_credit_notes',
  states: lifecycle.states,
  more: {
    reply: { credited_by_currency: z.array(Credited).describe('What was credited by issued notes, by currency.') },
    async read(ctx, query) {
      const { rows } = await sql<z.input<typeof Credited>>`
        select currency, sum(total)::text as total, sum(amount_remaining)::text as amount_remaining
        from credit_notes where status = 'issued' and ${creditNoteList.condition(ctx, query)}
        group by currency order by currency`.execute(ctx.tx)
      return { credited_by_currency: rows }
    },
  },
})

/** Checked first, so that nothing is revealed of an invoice that the actor may not see. */
const Corrects = CreateCreditNote.pick({ corrects_invoice_id: true })

/** Fields that must match the invoice; an invoice deleted meanwhile doesn't prevent other changes. */
const CORRECTION = ['corrects_invoice_id', 'contact_id', 'company_id', 'currency'] as const

/**
 * Creates a draft with the next number. Values taken from the invoice are accepted as they are: only sent references are
 * validated.
 */
export async function create(ctx: Ctx, sent: z.output<typeof CreateCreditNote>) {
  await checkReferences(ctx, Corrects, sent)
  const taken = await takenOver(ctx, sent)
  const body = { ...sent, ...taken }
  refuseDelivery(body)
  await refuseWithoutVatId(ctx, body, body.lines)
  return createRecord(ctx, creditNotes, CreateCreditNote, sent, async () => ({
    ...taken,
    ...(await priceNew(ctx, creditNoteLines, body)),
  }))
}

/** Changes the sent fields; drafts only. */
export async function update(ctx: Ctx, note: CreditNote, body: z.output<typeof UpdateCreditNote>) {
  await checkReferences(ctx, Corrects, body, note)
  if (CORRECTION.some((field) => body[field] !== undefined && body[field] !== note[field]))
    await refuseWrongInvoice(ctx, { ...note, ...body })
  refuseDelivery(body, note)
  await refuseWithoutVatId(ctx, { ...note, ...body }, body.lines ?? [])
  return updateDraft(ctx, creditNotes, { schema: UpdateCreditNote, lines: creditNoteLines }, note, body)
}

/** 422 on `status` while it is applied to invoices. */
export function refuseVoiding(_: Ctx, { number, amount_applied }: CreditNote) {
  if (decimal(amount_applied).gt(0)) throw invalid({ status: `${number} is applied to invoices; unapply it before voiding it.` })
}

/** draft or issued → voided, if nothing of it is applied: 422 on `status` otherwise. */
export async function voidCreditNote(ctx: Ctx, note: CreditNote) {
  await lifecycle.move(ctx, creditNotes, note, 'void')
}

/** 422 on `status` of an issued one. */
export function refuseDeletion(_: Ctx, note: CreditNote) {
  if (note.status === 'issued') throw invalid({ status: 'Void the credit note before deleting it.' })
}
