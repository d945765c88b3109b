import type { Ctx } from '#kernel/context.ts'
import { emit } from '#kernel/modules/events.ts'
import { decimal } from '#kernel/values/money.ts'
import { lockInvoices, settle } from '#workspace/invoices/public.ts'
import { lifecycle } from './lifecycle.ts'
import { type Payment, payments } from './payments.ts'

/**
 * posted → voided: reverts the payment's amounts on all its invoices, even those hidden from the actor; paid ones become unpaid
 * (INV-40). Its allocations stay on record.
 */
export async function voidPayment(ctx: Ctx, payment: Payment) {
  lifecycle.check('void', payment.status)
  const allocations = await ctx
    .from('payment_allocations')
    .select(['invoice_id', 'amount'])
    .where('payment_id', '=', payment.id)
    .execute()
  const invoices = await lockInvoices(
    ctx,
    allocations.map(({ invoice_id }) => invoice_id),
  )
  for (const { invoice_id, amount } of allocations)
    await settle(ctx, invoices.get(invoice_id)!, { paid: decimal(amount).neg().toFixed() })
  await lifecycle.move(ctx, payments, payment, 'void', { voided_at: ctx.now, voided_by: ctx.actor.id })
  await emit(ctx, 'payment.voided', { payment_id: payment.id })
}
