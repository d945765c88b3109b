/** What a workspace has paid for days that it won't use: given to its credit, where parts of periods are prorated. */
import { sql } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { readPlatformSettings } from '#kernel/modules/platform-settings.ts'
import { decimal, roundToCharge } from '#kernel/values/money.ts'
import { type Account, accountIn, giveCredit } from './accounts.ts'
import { refundedOf } from './figures.ts'
import { dayOf, shareFrom } from './periods.ts'
import type { Subscription } from './selling.ts'

/**
 * Gives back the rest of a subscription's period, today included, of what was billed for it and hasn't been refunded already: a refund
 * of an invoice counts for its lines in proportion. The account, one of the workspace's, is locked; what is credited is in the subscription's currency.
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
  if (!billed) return // a trial, or nothing was owed
  const unused = shareFrom(dayOf(ctx.now), { start: period_start, end: period_end }, billed.amount, currency)
  const refunded = roundToCharge(currency, decimal(billed.refunded).times(billed.amount).div(billed.total))
  const amount = unused.minus(refunded).toFixed()
  const credited = await accountIn(ctx, account, currency)
  await giveCredit(ctx, credited, { amount, reason: 'unused_period', subscription_id: id, invoice_id: billed.invoice_id })
}
