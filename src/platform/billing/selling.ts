/** Sales of modules: price, renewal date and first invoice of a new subscription. */
import type { Selectable } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import type { ModuleSubscriptions, Modules } from '#kernel/database/tables.ts'
import { invalid } from '#kernel/errors.ts'
import { readPlatformSettings } from '#kernel/modules/platform-settings.ts'
import { LIVE } from '#kernel/modules/subscriptions.ts'
import { decimal, roundToCharge } from '#kernel/values/money.ts'
import { type Account, lockAccount, payFromCredit } from './accounts.ts'
import { collect } from './collect-job.ts'
import { issueInvoices, type Line } from './invoicing.ts'
import { billedFrom, type Cycle, dayOf, plusDays } from './periods.ts'

const TRIAL_DAYS = 14

export type Module = Selectable<Modules>
export type Subscription = Selectable<ModuleSubscriptions>
type Priced = Pick<Module, 'monthly_price' | 'yearly_price' | 'currency'>

/** Columns of a subscription that isn't billed: it has no periods. */
export const UNBILLED = {
  status: 'active',
  price: '0',
  next_cycle: null,
  anchor_on: null,
  period_start: null,
  period_end: null,
} as const satisfies Partial<Subscription>

/** Returns the chargeable price of a module in a cycle; undefined if it is sold only in the other one. */
export function priceIn({ monthly_price, yearly_price, currency }: Priced, cycle: Cycle) {
  const [price, other] = cycle === 'monthly' ? [monthly_price, yearly_price] : [yearly_price, monthly_price]
  return decimal(price).eq(0) && !decimal(other).eq(0) ? undefined : roundToCharge(currency, decimal(price)).toFixed()
}

/** Returns the price of a module in a cycle. 422 on `billing_cycle` if it isn't sold that way. */
export function priceFor(module: Module, cycle: Cycle): string {
  const price = priceIn(module, cycle)
  if (price === undefined) throw invalid({ billing_cycle: `${module.name} is not sold ${cycle}.` })
  return price
}

/**
 * Returns the billing columns of a new subscription. Modules that are included by default, not billable or free are never billed.
 * A first purchase starts with a trial, if trials are enabled.
 */
export async function termsOf(ctx: BaseCtx, tenantId: number, module: Module, billing_cycle: Cycle) {
  const source = module.is_default_included ? ('included' as const) : ('purchased' as const)
  const price = source === 'purchased' && module.is_billable ? priceFor(module, billing_cycle) : '0'
  const common = { source, billing_cycle, price, currency: module.currency, status: 'active' as const }
  if (decimal(price).eq(0)) return common
  const account = await lockAccount(ctx, tenantId, module.currency)
  const today = dayOf(ctx.now)
  if (await hasTrial(ctx, tenantId, module)) {
    const period_end = plusDays(today, TRIAL_DAYS)
    return { ...common, status: 'trialing' as const, anchor_on: period_end, period_start: today, period_end }
  }
  return { ...common, ...(await firstPeriod(ctx, account, { price, billing_cycle }, today)) }
}

async function hasTrial(ctx: BaseCtx, tenantId: number, module: Module) {
  const { trial_enabled } = await readPlatformSettings(ctx, ['trial_enabled'])
  if (!trial_enabled) return false
  const before = await ctx.tx
    .selectFrom('module_subscriptions')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('module_id', '=', module.id)
    .limit(1)
    .executeTakeFirst()
  return before === undefined
}

/** Returns the first billed period from a day on: a full one, or the rest of the account's period. */
export async function firstPeriod(
  ctx: BaseCtx,
  account: Account,
  { price, billing_cycle }: { price: string; billing_cycle: Cycle },
  day: string,
) {
  const anchor_on = await anchorOf(ctx, account, day)
  const { currency } = account
  const { start: period_start, end: period_end } = billedFrom(day, { anchor: anchor_on, cycle: billing_cycle, price, currency })
  return { anchor_on, period_start, period_end }
}

/**
 * Returns the anchor of a new subscription's periods. With proration, all of a workspace's subscriptions renew on the same days,
 * as long as it has any; otherwise each counts from its own start.
 */
async function anchorOf(ctx: BaseCtx, account: Account, day: string): Promise<string> {
  const { proration_mode } = await readPlatformSettings(ctx, ['proration_mode'])
  if (proration_mode === 'none') return day
  const { tenant_id, currency, anchor_on } = account
  const other = await ctx.tx
    .selectFrom('module_subscriptions')
    .select('id')
    .where('tenant_id', '=', tenant_id)
    .where('currency', '=', currency)
    .where('status', 'in', LIVE)
    .where('status', '!=', 'trialing')
    .where('anchor_on', 'is not', null)
    .where('price', '>', '0')
    .limit(1)
    .executeTakeFirst()
  if (other && anchor_on && anchor_on <= day) return anchor_on
  await ctx.tx
    .updateTable('billing_accounts')
    .set({ anchor_on: day })
    .where('tenant_id', '=', tenant_id)
    .where('currency', '=', currency)
    .execute()
  account.anchor_on = day
  return day
}

/** Returns the invoice line of a subscription's current period. */
export function lineOf(subscription: Subscription, name: string): Line {
  const { tenant_id, id, term, module_id, currency, price, billing_cycle, anchor_on, period_start, period_end } = subscription
  const { amount } = billedFrom(period_start!, { anchor: anchor_on!, cycle: billing_cycle, price, currency })
  const period = { period_start: period_start!, period_end: period_end! }
  return { tenant_id, currency, subscription_id: id, term, module_id, description: name, billing_cycle, ...period, amount }
}

/** Bills the first period of a new subscription, unless it is a trial. */
export async function billNew(ctx: BaseCtx, subscription: Subscription, module: Module) {
  if (subscription.anchor_on === null || subscription.status === 'trialing') return
  await bill(ctx, [lineOf(subscription, module.name)])
}

/** Issues the invoices of these lines and pays them from the locked accounts' credit. */
export async function bill(ctx: BaseCtx, lines: Line[]) {
  const issued = await issueInvoices(ctx, lines)
  if (!issued.length) return
  await ctx.services.queue.send(ctx, collect, {})
  const tenants = [...new Set(lines.map(({ tenant_id }) => tenant_id))]
  const inCredit = await ctx.tx
    .selectFrom('billing_accounts')
    .selectAll()
    .where('tenant_id', 'in', tenants)
    .where('credit', '>', '0')
    .execute()
  const billed = new Set(lines.map(({ tenant_id, currency }) => `${tenant_id} ${currency}`))
  for (const account of inCredit) if (billed.has(`${account.tenant_id} ${account.currency}`)) await payFromCredit(ctx, account)
}
