/** Change of billing cycle: starts a new term of a subscription, whose periods are counted from its start. */
import type { Selectable } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import type { ModuleSubscriptions } from '#kernel/database/tables.ts'
import { platformSetting } from '#kernel/modules/platform-settings.ts'
import { type Account, accountIn } from './accounts.ts'
import { type Cycle, dayOf } from './periods.ts'
import { bill, firstPeriod, lineOf, priceFor, type Subscription, UNBILLED } from './selling.ts'
import { creditUnused } from './unused.ts'

/**
 * Changes the cycle of a subscription that is locked with its account. Returns the date from which it applies: today, with the
 * rest of the old period credited and the new one billed, or the end of the period. Undefined if it has that cycle already. A new
 * term uses the catalogue's current price and currency. A module that is no longer billable becomes free.
 */
export async function startTerm(
  ctx: BaseCtx,
  account: Account,
  subscription: Subscription,
  cycle: Cycle,
): Promise<string | undefined> {
  const { billing_cycle, next_cycle, status, period_end, anchor_on, term } = subscription
  if ((next_cycle ?? billing_cycle) === cycle) return undefined
  const module = await ctx.tx.selectFrom('modules').selectAll().where('id', '=', subscription.module_id).executeTakeFirstOrThrow()
  const today = dayOf(ctx.now)
  if (anchor_on === null) {
    await save(ctx, subscription, { billing_cycle: cycle })
    return today
  }
  if (!module.is_billable) {
    await creditUnused(ctx, account, subscription)
    await save(ctx, subscription, { ...UNBILLED, billing_cycle: cycle, term: term + 1 })
    return today
  }
  const { currency } = module
  const price = priceFor(module, cycle)
  if (status === 'trialing') {
    await accountIn(ctx, account, currency) // creates the account if the currency is new
    await save(ctx, subscription, { billing_cycle: cycle, price, currency })
    return today
  }
  if ((await platformSetting(ctx, 'proration_mode')) === 'none') {
    await save(ctx, subscription, { next_cycle: cycle === billing_cycle ? null : cycle })
    return period_end!
  }
  await creditUnused(ctx, account, subscription)
  const terms = { billing_cycle: cycle, price, currency, term: term + 1, next_cycle: null }
  const billed = await accountIn(ctx, account, currency)
  const period = await firstPeriod(ctx, billed, terms, today)
  const changed = await save(ctx, subscription, { ...terms, ...period })
  await bill(ctx, [lineOf(changed, module.name)])
  return today
}

const save = (ctx: BaseCtx, { tenant_id, id }: Subscription, changes: Partial<Selectable<ModuleSubscriptions>>) =>
  ctx.tx
    .updateTable('module_subscriptions')
    .set({ ...changes, updated_at: ctx.now })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
