/** Credits for days that a workspace paid for and won't use, if proration is enabled. */
import { sql } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { readPlatformSettings } from '#kernel/modules/platform-settings.ts'
import { decimal, roundToCharge } from '#kernel/values/money.ts'
import { type Account, accountIn, giveCredit } from './accounts.ts'
import { refundedOf } from './figures.ts'
import { dayOf, shareFrom } from './periods.ts'
import type { Subscription } from './selling.ts'

/**
 * Credits the rest of a subscription's period including today, as far as it was billed and not refunded. Refunds of an invoice
 * are distributed to its lines proportionally. The given account is any of the workspace's, locked; the credit is in the
 * subscription's currency.
 */
export async function creditUnused(ctx: BaseCtx, account: Account, subscription: Subscription) {
  const { tenant_id, id, term, period_start, period_end, currency } = subscription
  const { proration_mode } = await readPlatformSettings(ctx, ['proration_mode'])
  if (proration_mode === 'none' || !period_start || !period_end) return
  const billed = await ctx.tx
    .selectFrom('ledger_lines as l')
    .innerJoin('ledger_invoices as i', (join) => join.onRef('i.tenant_id', '=', 'l.tenant_id').onRef('i.id', '=', 'l.invoice_id'))
    .select(['l.amount', 'l.invoice_id', 'i.total', sql<string>`(${refundedOf('i')})`.as('refunded')])
    .where('l.tenant_id', '=', tenant_id)
    .where('i.tenant_id', '=', tenant_id)
    .where('l.subscription_id', '=', id)
    .where('l.term', '=', term)
    .where('l.period_start', '=', period_start)
    .where('i.status', '!=', 'uncollectible')
    .executeTakeFirst()
  if (!billed) return // a trial, or nothing was billed
  const unused = shareFrom(dayOf(ctx.now), { start: period_start, end: period_end }, billed.amount, currency)
  const refunded = roundToCharge(currency, decimal(billed.refunded).times(billed.amount).div(billed.total))
  const amount = unused.minus(refunded).toFixed()
  const credited = await accountIn(ctx, account, currency)
  await giveCredit(ctx, credited, { amount, reason: 'unused_period', subscription_id: id, invoice_id: billed.invoice_id })
}
