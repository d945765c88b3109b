/** Applies issued credit notes to invoices, and reverses this (INV-41). */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { emit } from '#kernel/modules/events.ts'
import { checkReferences } from '#kernel/records/references.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { decimal } from '#kernel/values/money.ts'
import { lockInvoices, settle } from '#workspace/invoices/public.ts'
import { checkClaims, inFull } from '#workspace/payments/public.ts'
import { buyerOf } from './correcting.ts'
import { type CreditNote, creditNotes } from './credit-notes.ts'
import { ApplyCreditNote, UnapplyCreditNote } from './schema.ts'

type Application = z.output<typeof ApplyCreditNote>

/** 422 on `status` before it is issued, on `amount` if nothing is left of it. */
export function refuseApplying(_: Ctx, note: CreditNote, body?: Application) {
  const { number, status, amount_remaining } = note
  if (status !== 'issued') throw invalid({ status: `${number} is ${status}; only issued credit notes can be applied.` })
  // Once a body is sent, an invalid invoice is reported first.
  if (!body && decimal(amount_remaining).lte(0)) throw tooMuch(note)
}

const tooMuch = ({ number, currency, amount_remaining }: CreditNote) =>
  invalid({ amount: `Must be at most what is left of ${number}, ${inFull(currency, amount_remaining)}.` })

/**
 * Applies an amount to an invoice; several credits to one invoice add up. 422 on `invoice_id` of another customer, on `amount`
 * above the remaining credit. A credit note without a customer can be applied to any invoice.
 */
export async function apply(ctx: Ctx, note: CreditNote, body: Application) {
  const { id, number, currency, amount_remaining } = note
  const { invoice_id, amount } = body
  const invoices = await lockInvoices(ctx, [invoice_id])
  await checkReferences(ctx, ApplyCreditNote, body)
  checkClaims(currency, [body], invoices, (_, part) => part)
  const invoice = invoices.get(invoice_id)!
  const [credited, billed] = [buyerOf(note), buyerOf(invoice)]
  if (credited && billed && credited !== billed)
    throw invalid({ invoice_id: `${invoice.number} is for another customer than ${number}.` })
  if (decimal(amount).gt(amount_remaining)) throw tooMuch(note)
  await ctx.tx
    .insertInto('credit_note_applications')
    .values({ tenant_id: ctx.tenant.id, credit_note_id: id, invoice_id, amount })
    .onConflict((conflict) =>
      conflict
        .constraint('credit_note_applications_once')
        .doUpdateSet({ amount: sql`credit_note_applications.amount + excluded.amount` }),
    )
    .execute()
  await count(ctx, note, amount)
  const told = { invoice_id, number: invoice.number, amount: Number(amount), currency }
  await logActivity(ctx, creditNotes, id, 'applied', told)
  await settle(ctx, invoice, { credited: amount })
  await emit(ctx, 'credit_note.applied', { credit_note_id: id, invoice_id })
}

/** 422 on `invoice_id` if nothing of it is applied. */
export function refuseUnapplying(_: Ctx, note: CreditNote) {
  if (decimal(note.amount_applied).lte(0)) throw notApplied(note)
}

const notApplied = ({ number }: CreditNote) => invalid({ invoice_id: `${number} is not applied to such an invoice.` })

/**
 * Reverses everything applied to an invoice that the actor may use; a paid invoice becomes unpaid again. 422 on `invoice_id` if
 * nothing was applied.
 */
export async function unapply(ctx: Ctx, note: CreditNote, body: z.output<typeof UnapplyCreditNote>) {
  const { id, currency } = note
  const { invoice_id } = body
  await checkReferences(ctx, UnapplyCreditNote, body)
  const application = await ctx
    .deleteFrom('credit_note_applications')
    .where('credit_note_id', '=', id)
    .where('invoice_id', '=', invoice_id)
    .returning('amount')
    .executeTakeFirst()
  if (!application) throw notApplied(note)
  const amount = inFull(currency, application.amount)
  const back = decimal(amount).neg().toFixed()
  const invoice = (await lockInvoices(ctx, [invoice_id])).get(invoice_id)!
  await count(ctx, note, back)
  await logActivity(ctx, creditNotes, id, 'unapplied', { invoice_id, number: invoice.number, amount: Number(amount), currency })
  await settle(ctx, invoice, { credited: back })
}

const count = (ctx: Ctx, note: CreditNote, applied: string) =>
  creditNotes.save(ctx, note, { amount_applied: decimal(note.amount_applied).plus(applied).toFixed() })
