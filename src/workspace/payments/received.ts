/** Payments allocated to an invoice, for its detail view and PDF. */
import { sql } from 'kysely'
import { z } from 'zod'
import { computed } from '#kernel/records/view.ts'
import { choice, formatted, instant, money } from '#kernel/values/fields.ts'
import { dateIn } from '#kernel/values/time.ts'
import { localDay } from '#kernel/values/written.ts'
import type { Say } from '#workspace/document-texts/public.ts'
import { lifecycle } from './lifecycle.ts'
import { METHODS } from './schema.ts'

const Received = z
  .object({
    id: z.int(),
    amount: money().meta({ description: 'How much of the payment was used on the invoice.', examples: [20] }),
    customer_payment: z
      .object({
        id: z.int(),
        uuid: z.uuid(),
        number: z.string(),
        status: choice(lifecycle.states),
        method: choice(METHODS).describe('How the money came.'),
        reference: z.string().nullable(),
        currency: formatted('currency'),
        paid_at: instant(),
      })
      .describe('The payment that it is of.'),
  })
  .meta({ id: 'InvoicePayment' })

/** View field: all allocations of an invoice by time (INV-29). Those of voided payments are included with that status. */
export const paymentAllocations = () =>
  computed(z.array(Received), ({ ctx, table: invoice }) =>
    ctx.entitled('payments')
      ? sql`(
          select coalesce(json_agg(json_build_object('id', a.id, 'amount', trim_scale(a.amount), 'customer_payment', json_build_object(
            'id', p.id, 'uuid', p.uuid, 'number', p.number, 'status', p.status, 'method', p.method, 'reference', p.reference,
            'currency', p.currency, 'paid_at', app.iso(p.paid_at))) order by p.paid_at, a.id), '[]')
          from payment_allocations a join payments p on p.tenant_id = ${ctx.tenant.id} and p.id = a.payment_id and p.deleted_at is null
          where a.tenant_id = ${ctx.tenant.id} and a.invoice_id = ${sql.ref(`${invoice}.id`)})`
      : sql`'[]'::json`,
  )

/** Returns the PDF table of received payments. Posted payments only; no table without any (INV-62). */
export function paymentsReceived(
  say: Say,
  timezone: string,
  allocations: z.output<typeof Received>[],
  print: (amount: number) => string,
) {
  const posted = allocations.filter(({ customer_payment }) => customer_payment.status === 'posted')
  const rows = posted.map(({ amount, customer_payment: { paid_at, number, method, reference } }) => [
    ...[
      localDay(dateIn(timezone, paid_at), say.locale, 'medium'),
      number,
      say(`method_${method}`),
      reference ?? '',
      print(amount),
    ],
  ])
  const headers = [say('date'), say('number'), say('method'), say('reference'), say('amount')]
  return rows.length ? [{ title: say('payments_received'), headers, rows }] : []
}
