import { sql } from 'kysely'
import { z } from 'zod'
import { embedded, extended, view } from '#kernel/records/view.ts'
import { choice, date, formatted, hardStamps, instant, money } from '#kernel/values/fields.ts'
import { history } from '#platform/billing/public.ts'
import { tenantInShort } from '#platform/tenants/public.ts'

export const STATUSES = ['trialing', 'active', 'past_due', 'cancelled', 'expired'] as const
export const SOURCES = ['included', 'purchased'] as const
const CYCLES = ['monthly', 'yearly'] as const

const module = embedded(z.object({ id: z.int(), key: z.string(), name: z.string(), version: z.string() }), {
  columns: ['module_id'],
  refersTo: 'module',
  value: ({ table }) => sql`(
    select json_build_object('id', m.id, 'key', m.key, 'name', m.name, 'version', m.version)
    from modules m where m.id = ${sql.ref(`${table}.module_id`)})`,
})

export const Subscription = view('module_subscriptions', 'WorkspaceSubscription', {
  id: z.int(),
  tenant_id: z.int(),
  tenant: tenantInShort(),
  module_id: z.int(),
  module_key: z.string().meta({ description: 'Key of the module.', examples: ['invoices'] }),
  module,
  source: choice(SOURCES).describe('Whether it comes with every workspace or was bought.'),
  status: choice(STATUSES).describe('Where the subscription stands. The module works while it is trialing, active or past due.'),
  billing_cycle: choice(CYCLES).describe('How long a period is that is billed at once.'),
  next_cycle: choice(CYCLES).nullable().describe('From the end of the period on.'),
  price: money().describe('Of a whole period, as it was sold.'),
  currency: formatted('currency'),
  period_start: date().nullable().describe('Of what was billed last, or of the trial.'),
  period_end: date().nullable().describe('The first day after it, on which it renews.'),
  cancel_at_period_end: z.boolean().describe('Whether it ends with the period at hand instead of renewing.'),
  ended_at: instant().nullable().describe('When it ended; null: it has not.'),
  ...hardStamps,
})

export const SubscriptionDetail = extended(Subscription, 'WorkspaceSubscriptionDetail', {
  history: history().describe('What happened to the subscription, the newest first.'),
})

export const CancelSubscription = z.object({
  immediately: z.boolean('Must be true or false.').default(false).describe('At once, instead of at the end of the period.'),
})
export const ChangeSubscription = z.object({ billing_cycle: choice(CYCLES) })
