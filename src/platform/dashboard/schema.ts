import { z } from 'zod'
import { formatted, instant, money } from '#kernel/values/fields.ts'

const month = () => z.string().regex(/^\d{4}-\d{2}$/)
const Revenue = z.object({ currency: formatted('currency'), mrr: money() })

const RecentTenant = z.object({
  id: z.int(),
  workspace_name: z.string(),
  slug: z.string(),
  status: z.string(),
  created_at: instant(),
})
const RecentSubscription = z.object({
  id: z.int(),
  tenant: z.object({ id: z.int(), workspace_name: z.string() }),
  module: z.object({ key: z.string(), name: z.string() }),
  source: z.string(),
  status: z.string(),
  created_at: instant(),
})
const RecentActivity = z.object({
  id: z.int(),
  event: z.string(),
  actor: z.string().nullable(),
  created_at: instant(),
})

/** CEN-17, CEN-18 */
export const Dashboard = z
  .object({
    workspaces: z.object({ total: z.int(), active: z.int(), suspended: z.int(), archived: z.int(), new_this_month: z.int() }),
    module_subscriptions: z.object({
      total: z.int(),
      trialing: z.int(),
      active: z.int(),
      past_due: z.int(),
      cancelled: z.int(),
      expired: z.int(),
    }),
    revenue: Revenue.extend({ by_currency: z.array(Revenue) }).describe(
      'Monthly recurring revenue of active, billed subscriptions, in the platform’s currency and in each; without archived and deleted workspaces.',
    ),
    growth: z.array(z.object({ month: month(), count: z.int() })).describe('New workspaces, twelve months.'),
    revenue_series: z
      .array(z.object({ month: month(), amount: money() }))
      .describe(
        'What was billed in the platform’s currency in each of twelve months: without tax, and without what was written off or refunded since.',
      ),
    recent_tenants: z.array(RecentTenant),
    recent_subscriptions: z.array(RecentSubscription),
    recent_activities: z.array(RecentActivity),
  })
  .meta({ id: 'PlatformDashboard' })
