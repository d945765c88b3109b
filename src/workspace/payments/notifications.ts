/** Notifies the assignee of an invoice about its payments. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { kind, type News } from '#kernel/modules/notifications.ts'

export default [
  /** Partial payments only: a payment in full has its own notification. */
  kind('payment.posted', {
    subject: 'invoice',
    title: 'An invoice of yours is paid in part',
    news: (ctx, { payment_id }) =>
      ofInvoices(
        ctx,
        payment_id,
        'Payment posted',
        (payment, invoice) => `Payment ${payment} pays a part of invoice ${invoice}.`,
      ),
  }),
  kind('payment.voided', {
    subject: 'invoice',
    title: 'A payment of an invoice of yours is voided',
    news: (ctx, { payment_id }) =>
      ofInvoices(
        ctx,
        payment_id,
        'Payment voided',
        (payment, invoice) => `Payment ${payment} was voided: what it paid of invoice ${invoice} is due again.`,
      ),
  }),
]

/** One notification per allocated invoice that still has a balance due. */
async function ofInvoices(ctx: Ctx, payment_id: number, title: string, say: (payment: string, invoice: string) => string) {
  const { rows } = await sql<{ invoice_id: number; assigned_to: number; number: string }>`
    select i.id as invoice_id, i.assigned_to, p.number from payment_allocations a
    join payments p on p.tenant_id = ${ctx.tenant.id} and p.id = a.payment_id
    join invoices i on i.tenant_id = ${ctx.tenant.id} and i.id = a.invoice_id
    where a.tenant_id = ${ctx.tenant.id} and a.payment_id = ${payment_id} and i.assigned_to is not null and i.balance_due > 0
    order by i.id`.execute(ctx.tx)
  return rows.map(
    ({ invoice_id, assigned_to, number }): News => ({
      ...{ ids: [invoice_id], users: [assigned_to], metadata: { payment_id }, title },
      body: (invoice) => say(number, invoice),
    }),
  )
}
