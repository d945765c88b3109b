/**
 * Demo ledger of 18 months, as the billing engine would have written it: trials, renewals on their days, invoices paid on time,
 * late, or from credit. The latest invoice is open and isn't collected automatically.
 */
import { sql } from 'kysely'
import type { PlatformCtx } from '#kernel/context.ts'
import { defineDemo, type PlatformPlan } from '#kernel/demo/parts.ts'
import { LIVE } from '#kernel/modules/subscriptions.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { giveCredit, lockAccount } from './accounts.ts'
import { payInvoice } from './paying.ts'
import { dayOf, plusDays } from './periods.ts'
import { bringUpToDate } from './renewals.ts'

const TRIAL_DAYS = 14
const DAY = 24 * 3600
/** Age in days below which demo invoices are open. */
const OPEN_DAYS = 31

export default defineDemo({
  after: ['modules', 'system-settings'],
  async fillPlatform(ctx, plan) {
    const ids = plan.workspaces.map(({ id }) => id)
    await beginTrials(ctx, ids)
    let made = 0
    for (let day = await nextDay(ctx, ids); day && day <= dayOf(ctx.now); day = await nextDay(ctx, ids)) {
      const then = { ...ctx, now: `${day}T00:10:00.000Z` }
      for (const { tenant_id, currency, billed } of await dueOn(ctx, ids, day)) {
        const account = await lockAccount(then, tenant_id, currency)
        if (billed === 3) await giveCredit(then, account, { amount: '5', reason: 'overpaid' })
        await bringUpToDate(then, account)
        await pay(then, plan, tenant_id, { today: ctx.now, isLate: billed === 6 })
        made++
      }
    }
    return made
  },
})

/** Converts free subscriptions of modules with a price to trials that began on the day of installation. */
async function beginTrials(ctx: PlatformCtx, tenantIds: number[]) {
  // Not created_at::date: a cluster rejects updates with values that depend on the session's time zone.
  const installed = sql`(s.created_at at time zone 'UTC')::date`
  const { rows } = await sql<{ tenant_id: number; currency: string }>`
    update module_subscriptions s set source = 'purchased', price = m.monthly_price, currency = m.currency, status = 'trialing',
      period_start = ${installed}, period_end = ${installed} + ${TRIAL_DAYS}::int, anchor_on = ${installed} + ${TRIAL_DAYS}::int
    from modules m where m.id = s.module_id and m.monthly_price > 0 and not m.is_default_included
      and s.tenant_id = any(${tenantIds}::bigint[]) and s.status = 'active' and s.price = 0 and s.billing_cycle = 'monthly'
    returning s.tenant_id, s.currency`.execute(ctx.tx)
  for (const { tenant_id, currency } of rows) await lockAccount(ctx, tenant_id, currency)
}

/** Returns the accounts to bill on a day, with the number of their invoices. */
async function dueOn({ tx }: PlatformCtx, tenantIds: number[], day: string) {
  const { rows } = await sql<{ tenant_id: number; currency: string; billed: number }>`
    select a.tenant_id, a.currency, (select count(*)::int from ledger_invoices i where i.tenant_id = a.tenant_id) as billed
    from billing_accounts a where a.tenant_id = any(${tenantIds}::bigint[]) and exists (
      select from module_subscriptions s where s.tenant_id = a.tenant_id and s.currency = a.currency and s.status in (${sql.join(LIVE)})
        and s.period_end <= ${day}) order by a.tenant_id`.execute(tx)
  return rows
}

async function nextDay({ tx }: PlatformCtx, tenantIds: number[]) {
  const { day } = await tx
    .selectFrom('module_subscriptions')
    .select((eb) => eb.fn.min<string | null>('period_end').as('day'))
    .where('tenant_id', 'in', tenantIds)
    .where('status', 'in', LIVE)
    .executeTakeFirstOrThrow()
  return day
}

/**
 * Pays a workspace's new invoice by card, unless it is recent. If `isLate`, the charge was refused first and paid three days
 * later.
 */
async function pay(
  ctx: PlatformCtx,
  { random }: PlatformPlan,
  tenant_id: number,
  { today, isLate }: { today: string; isLate: boolean },
) {
  const invoices = await ctx.tx
    .selectFrom('ledger_invoices')
    .select(['id', 'currency', 'balance_due'])
    .where('tenant_id', '=', tenant_id)
    .where('status', '=', 'open')
    .execute()
  for (const { id, currency, balance_due } of invoices) {
    const settle = (mailed: { gateway: string }) =>
      ctx.tx
        .updateTable('ledger_invoices')
        .set({ ...mailed, mailed_at: plusSeconds(ctx.now, 60), next_attempt_at: null })
        .where('tenant_id', '=', tenant_id)
        .where('id', '=', id)
        .execute()
    if (plusDays(dayOf(ctx.now), OPEN_DAYS) > dayOf(today)) {
      await settle({ gateway: 'manual' })
      continue
    }
    await settle({ gateway: 'stripe' })
    const charge = {
      ...{ tenant_id, invoice_id: id, gateway: 'stripe', mode: 'sandbox' as const, kind: 'charge' as const },
      currency,
    }
    const attempt = (at: string, failure: string | null) =>
      ctx.tx
        .insertInto('ledger_payments')
        .values({
          ...{ ...charge, amount: balance_due, created_at: at, updated_at: at, settled_at: at },
          ...{ status: failure ? ('failed' as const) : ('succeeded' as const), failure_code: failure },
          ...{ failure_message: failure && 'The card was declined.', reference: `pi_demo_${random.whole(1e6, 9e6)}` },
        })
        .execute()
    if (isLate) await attempt(plusSeconds(ctx.now, 120), 'card_declined')
    const paid = { ...ctx, now: plusSeconds(ctx.now, isLate ? 3 * DAY : 300) }
    await attempt(paid.now, null)
    await payInvoice(paid, { tenant_id, id }, balance_due)
  }
}
