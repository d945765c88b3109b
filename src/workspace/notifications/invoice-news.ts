/** Whoever an invoice is given to learns of its payments and credits. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { notifyAboutRecord, notifyAssignee } from './news.ts'

interface Allocated {
  invoice_id: number
  assigned_to: number
  number: string
}

/** Invoices of others that a payment is allocated to, and that something is due on. */
const dueOf = async (ctx: Ctx, paymentId: number) => {
  const { rows } = await sql<Allocated>`
    select i.id as invoice_id, i.assigned_to, p.number from payment_allocations a
    join payments p on p.tenant_id = ${ctx.tenant.id} and p.id = a.payment_id
    join invoices i on i.tenant_id = ${ctx.tenant.id} and i.id = a.invoice_id
    where a.tenant_id = ${ctx.tenant.id} and a.payment_id = ${paymentId}
      and i.assigned_to is distinct from ${ctx.actor.id} and i.assigned_to is not null and i.balance_due > 0
    order by i.id`.execute(ctx.tx)
  return rows
}

/** A part of them: an invoice that is paid by it is told as paid. */
export async function notifyPosted(ctx: Ctx, payment_id: number) {
  for (const { invoice_id, assigned_to, number } of await dueOf(ctx, payment_id))
    await notifyAboutRecord(ctx, [assigned_to], {
      ...{ type: 'payment.posted', entity: 'invoice', id: invoice_id, metadata: { payment_id } },
      title: 'Payment posted',
      body: (name) => `Payment ${number} pays a part of invoice ${name}.`,
    })
}

export async function notifyVoided(ctx: Ctx, payment_id: number) {
  for (const { invoice_id, assigned_to, number } of await dueOf(ctx, payment_id))
    await notifyAboutRecord(ctx, [assigned_to], {
      ...{ type: 'payment.voided', entity: 'invoice', id: invoice_id, metadata: { payment_id } },
      title: 'Payment voided',
      body: (name) => `Payment ${number} was voided: what it paid of invoice ${name} is due again.`,
    })
}

export const notifyCredited = (ctx: Ctx, credit_note_id: number, invoice_id: number) =>
  notifyAssignee(ctx, {
    ...{ type: 'credit_note.applied', entity: 'invoice', id: invoice_id, metadata: { credit_note_id } },
    title: 'Credit note applied',
    body: (name) => `A credit note was applied to invoice ${name}.`,
  })
