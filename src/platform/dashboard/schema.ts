import { z } from 'zod'
import { formatted, instant, money } from '#kernel/values/fields.ts'

const month = () =>
  z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .meta({ description: 'The month, `YYYY-MM`.', examples: ['2026-11'] })
const Revenue = z.object({
  currency: formatted('currency'),
  mrr: money().meta({ description: 'Monthly recurring revenue: yearly prices count a twelfth.', examples: [812.5] }),
})

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
  source: z.string().meta({ description: 'Whether it comes with every workspace or was bought.', examples: ['purchased'] }),
  status: z.string(),
  created_at: instant(),
})
const RecentActivity = z.object({
  id: z.int(),
  event: z.string(),
  title: z.string().meta({ description: 'What people call the event.', examples: ['Workspace created'] }),
  actor: z
    .string()
    .nullable()
    .meta({ description: 'Name of whoever did it; null: the service.', examples: ['Ann Ash'] }),
  created_at: instant(),
})

/** CEN-17, CEN-18 */
export const Dashboard = z
  .object({
    workspaces: z
      .object({
        total: z.int().meta({ description: 'How many there are in all.', examples: [110] }),
        active: z.int().meta({ description: 'How many are active.', examples: [100] }),
        suspended: z.int().meta({ description: 'How many are suspended.', examples: [2] }),
        archived: z.int().meta({ description: 'How many are archived.', examples: [3] }),
        new_this_month: z.int().meta({ description: 'How many were made since the first of the month.', examples: [4] }),
      })
      .describe('Workspaces by state.'),
    module_subscriptions: z
      .object({
        total: z.int().meta({ description: 'How many there are in all.', examples: [110] }),
        trialing: z.int().meta({ description: 'How many are in a trial.', examples: [5] }),
        active: z.int().meta({ description: 'How many are active.', examples: [100] }),
        past_due: z.int().meta({ description: 'How many could not be charged.', examples: [1] }),
        cancelled: z.int().meta({ description: 'How many were cancelled.', examples: [9] }),
        expired: z.int().meta({ description: 'How many have ended unpaid.', examples: [2] }),
      })
      .describe('Subscriptions by state.'),
    revenue: Revenue.extend({ by_currency: z.array(Revenue).describe('The same in each currency.') }).describe(
      'Monthly recurring revenue of active, billed subscriptions, in the platform’s currency and in each; without archived and deleted workspaces.',
    ),
    growth: z
      .array(z.object({ month: month(), count: z.int().meta({ description: 'How many.', examples: [4] }) }))
      .describe('New workspaces, twelve months.'),
    revenue_series: z
      .array(z.object({ month: month(), amount: money() }))
      .describe(
        'What was billed in the platform’s currency in each of twelve months: without tax, and without what was written off, refunded or credited since.',
      ),
    recent_tenants: z.array(RecentTenant).describe('The newest workspaces.'),
    recent_subscriptions: z.array(RecentSubscription).describe('The newest subscriptions.'),
    recent_activities: z.array(RecentActivity).describe('The newest entries of the audit log.'),
  })
  .meta({ id: 'PlatformDashboard' })
