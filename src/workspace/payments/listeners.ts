import { on } from '#kernel/modules/events.ts'
import { nullifyOnPurge } from '#kernel/records/on-purge.ts'
import { receive } from './receiving.ts'
import { release } from './statements/matching.ts'
import { linkReturnsTo } from './statements/returns.ts'

/** Payments remain when their contact or company is purged, online checkouts remain when their invoice is. */
export default [
  nullifyOnPurge('payments', { contacts: 'contact_id', companies: 'company_id' }),
  nullifyOnPurge('payment_checkouts', { invoices: 'invoice_id' }),
  nullifyOnPurge('bank_transactions', { payments: 'payment_id' }),
  nullifyOnPurge('bank_transactions', { payments: 'returned_payment_id' }),
  on('checkout.settled', receive),
  on('payment.posted', (ctx, { payment_id }) => linkReturnsTo(ctx, payment_id)),
  on('payment.voided', (ctx, { payment_id }) => release(ctx, payment_id)),
]
