/** Figures of the platform (CEN-17, CEN-18). */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { platformSetting } from '#kernel/modules/platform-settings.ts'
import { billedByMonth, lastMonths, recurringRevenue } from '#platform/billing/public.ts'
import { recentActivities, recentSubscriptions, recentTenants } from './recent.ts'
import type { Dashboard } from './schema.ts'

type Figures = z.input<typeof Dashboard>

/** Returns all figures of the dashboard. */
export async function dashboard(ctx: PlatformCtx): Promise<Figures> {
  const currency = await platformSetting(ctx, 'currency')
  const [workspaces, module_subscriptions, by_currency, growth, revenue_series, tenants, subscriptions, activities] =
    await Promise.all([
      workspaceCounts(ctx),
      subscriptionCounts(ctx),
      recurringRevenue(ctx),
      growthOf(ctx),
      billedByMonth(ctx, currency),
      recentTenants(ctx),
      recentSubscriptions(ctx),
      recentActivities(ctx),
    ])
  return {
    workspaces,
    module_subscriptions,
    revenue: { currency, mrr: by_currency.find((one) => one.currency === currency)?.mrr ?? 0, by_currency },
    growth,
    revenue_series,
    recent_tenants: tenants,
    recent_subscriptions: subscriptions,
    recent_activities: activities,
  }
}

async function workspaceCounts({ tx, now }: PlatformCtx): Promise<Figures['workspaces']> {
  const { rows } = await sql<Figures['workspaces']>`
    select count(*)::int as total, count(*) filter (where status = 'active' and archived_at is null)::int as active,
      count(*) filter (where status = 'suspended')::int as suspended, count(*) filter (where archived_at is not null)::int as archived,
      count(*) filter (where created_at >= ${`${now.slice(0, 7)}-01T00:00:00Z`})::int as new_this_month
    from tenants where deleted_at is null`.execute(tx)
  return rows[0]!
}

async function subscriptionCounts({ tx }: PlatformCtx): Promise<Figures['module_subscriptions']> {
  const { rows } = await sql<{ status: string; n: number }>`
    select status, count(*)::int as n from module_subscriptions group by 1`.execute(tx)
  const counts = {
    trialing: 0,
    active: 0,
    past_due: 0,
    cancelled: 0,
    expired: 0,
    ...Object.fromEntries(rows.map((r) => [r.status, r.n])),
  }
  return { total: rows.reduce((sum, { n }) => sum + n, 0), ...counts }
}

/** Returns the number of new workspaces by month, including months without any. */
async function growthOf({ tx, now }: PlatformCtx): Promise<Figures['growth']> {
  const months = lastMonths(now)
  const { rows } = await sql<{ month: string; count: number }>`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM') as month, count(*)::int as count from tenants
    where deleted_at is null and created_at >= ${`${months[0]}-01T00:00:00Z`} group by 1`.execute(tx)
  const byMonth = new Map(rows.map(({ month, count }) => [month, count]))
  return months.map((month) => ({ month, count: byMonth.get(month) ?? 0 }))
}
