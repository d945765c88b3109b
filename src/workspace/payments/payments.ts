/**
 * Payments of customers, all visible to every user who may view payments. Money is corrected by voiding a payment, never by
 * editing it.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { filter, filterOf, listing } from '#kernel/records/listing.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { seriesOf } from '#kernel/records/series.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { money, queryId } from '#kernel/values/fields.ts'
import { inFull } from './claims.ts'
import { lifecycle } from './lifecycle.ts'
import { METHODS, PaymentDetail, Payment as PaymentItem } from './schema.ts'

export type Payment = Row<'payments'>

export const payments = resource({
  table: 'payments',
  module: 'payments',
  noun: 'payment',
  title: 'number',
  item: PaymentItem,
  detail: PaymentDetail,
  numberPrefix: 'payments_number_prefix',
  tallied: ['status'],
  activityTemplates: {
    allocated: ({
      amount,
      currency,
      number = 'an invoice',
    }: {
      invoice_id: number
      number?: string
      amount: number
      currency: string
    }) => `Allocated ${inFull(currency, amount)} ${currency} to ${number}`,
  },
  timelineNames: { type: 'invoice', id: 'invoice_id', label: 'number' },
})

export const paymentList = listing(payments, {
  search: { through: { contact_id: 'contacts', company_id: 'companies' } },
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    method: filter.oneOf('method', METHODS),
    contact_id: filter.id('contact_id'),
    company_id: filter.id('company_id'),
    invoice_id: filterOf({
      schema: queryId(),
      where: (ctx: Ctx, id, column) => sql`${column('id')} in (
        select a.payment_id from payment_allocations a where a.tenant_id = ${ctx.tenant.id} and a.invoice_id = ${id})`,
    }),
  },
})

const Received = z.object({ currency: z.string(), amount: money(), unallocated_amount: money() })

export const paymentSeries = seriesOf('PaymentSeries', paymentList, {
  by: ['paid_at', 'created_at'],
  of: ['amount', 'count'],
  splits: ['method'],
  summed: ['posted'],
})

/** Sums of received money count posted payments only. */
export const paymentStats = statsOf('PaymentStats', paymentList, {
  total: 'total_payments',
  states: lifecycle.states,
  more: {
    reply: { received_by_currency: z.array(Received).describe('What was received, by currency; voided payments don’t count.') },
    async read(ctx, query) {
      const { rows } = await sql<z.input<typeof Received>>`
        select currency, sum(amount)::text as amount, sum(unallocated_amount)::text as unallocated_amount
        from payments where status = 'posted' and ${paymentList.condition(ctx, query)}
        group by currency order by currency`.execute(ctx.tx)
      return { received_by_currency: rows }
    },
  },
})

/** 422 on `status` of a posted payment. */
export function refuseDeletion(_: Ctx, payment: Payment) {
  if (payment.status === 'posted') throw invalid({ status: 'Void the payment before deleting it.' })
}
