/**
 * Applies payment events from replies, queries and webhooks, in any order and number: a succeeded payment stays so, a failed one
 * may still succeed, refunds only increase. So an older event can't undo a newer one.
 */
import type { Selectable } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { decimal } from '#kernel/values/money.ts'
import { gatewayCalled, logAction, type PaymentNews, rememberCustomer } from '#platform/payment-gateways/public.ts'
import { giveCredit, lockAccount } from './accounts.ts'
import { failInvoice, payInvoice } from './paying.ts'
import type { LedgerPayments } from './tables.ts'

type Payment = Selectable<LedgerPayments>

/** Applies a payment event. Events of unknown payments are ignored. */
export async function settle(ctx: BaseCtx, news: PaymentNews) {
  const known = await find(ctx, news)
  if (!known) return
  await lockAccount(ctx, known.tenant_id, known.currency)
  const payment = (await find(ctx, news, 'lock'))!
  if (news.status === 'succeeded' && payment.status !== 'succeeded') await succeed(ctx, payment, news)
  else if (news.status === 'failed' && payment.status === 'pending') await fail(ctx, payment, news)
  else if (payment.status === 'pending' && !payment.reference) await save(ctx, payment, { reference: news.reference })
  if (news.refunded !== undefined && decimal(news.refunded).gt(payment.amount_refunded))
    await save(ctx, payment, { amount_refunded: decimal(news.refunded).gt(payment.amount) ? payment.amount : news.refunded })
}

function find({ tx }: BaseCtx, { tenant_id, uuid }: PaymentNews, lock?: 'lock') {
  const payment = tx.selectFrom('ledger_payments').selectAll().where('tenant_id', '=', tenant_id).where('uuid', '=', uuid)
  return (lock ? payment.forUpdate() : payment).executeTakeFirst()
}

/** Records a success. An amount beyond the invoice's balance becomes credit: the customer paid during a charge. */
async function succeed(ctx: BaseCtx, payment: Payment, { reference, customer }: PaymentNews) {
  const { tenant_id, invoice_id, amount, currency, gateway, mode } = payment
  await save(ctx, payment, {
    status: 'succeeded',
    reference,
    settled_at: ctx.now,
    failure_code: null,
    failure_message: null,
    url: null,
  })
  const invoice = await ctx.tx
    .selectFrom('ledger_invoices')
    .select(['number', 'balance_due'])
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', invoice_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const counted = decimal(amount).gt(invoice.balance_due) ? invoice.balance_due : amount
  if (decimal(counted).gt(0)) await payInvoice(ctx, { tenant_id, id: invoice_id }, counted)
  const over = decimal(amount).minus(counted).toFixed()
  const account = await lockAccount(ctx, tenant_id, currency)
  await giveCredit(ctx, account, { amount: over, reason: 'overpaid', payment_id: payment.id })
  const row = await gatewayCalled(ctx, gateway)
  if (customer) await rememberCustomer(ctx, row, mode, tenant_id, customer)
  const message = `${invoice.number}: ${amount} ${currency}`
  await logAction(ctx, row, { action: payment.kind, mode, isSuccess: true, message })
}

/** Records a failure. An expired page doesn't count as a failed charge, because no payment was attempted. */
async function fail(ctx: BaseCtx, payment: Payment, { reference, failure }: PaymentNews) {
  const { code = 'failed', message = '' } = failure ?? {}
  const { tenant_id, invoice_id, gateway, kind, mode } = payment
  await save(ctx, payment, {
    status: 'failed',
    reference: reference || null,
    settled_at: ctx.now,
    failure_code: code.slice(0, 100),
    failure_message: message.slice(0, 500),
    url: null,
  })
  if (kind === 'charge') await failInvoice(ctx, { tenant_id, id: invoice_id })
  const row = await gatewayCalled(ctx, gateway)
  await logAction(ctx, row, { action: kind, mode, isSuccess: false, message: `${code}: ${message}` })
}

async function save({ tx, now }: BaseCtx, { tenant_id, id }: Payment, changes: Partial<Payment>) {
  await tx
    .updateTable('ledger_payments')
    .set({ ...changes, updated_at: now })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .execute()
}
