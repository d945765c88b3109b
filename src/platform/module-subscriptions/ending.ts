/**
 * Ends subscriptions: cancelled at the end of the period or at once, or deactivated. The module's data stay, inaccessible until
 * its next installation.
 */
import type { PlatformCtx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { installedModules, LIVE } from '#kernel/modules/subscriptions.ts'
import { decimal } from '#kernel/values/money.ts'
import { type Billed, creditUnused, dayOf, noteEvents, periodOf } from '#platform/billing/public.ts'
import { showSubscription } from './subscriptions.ts'

/**
 * Cancels a purchased subscription at the end of its period, or at once (BIL-03). A free one gets a period from its first day,
 * only to define its end. 422 on `source` for an included one; on `status` if it has ended or is already cancelled; on `module`
 * while others require it.
 */
export async function cancel(ctx: PlatformCtx, locked: Billed, immediately: boolean) {
  const { subscription } = locked
  if (subscription.source !== 'purchased')
    throw invalid({ source: 'An included module can’t be cancelled; it can be deactivated.' })
  refuseEnded(locked)
  await refuseNeeded(ctx, locked)
  if (immediately) return end(ctx, locked, 'cancelled')
  if (subscription.cancel_at_period_end) throw invalid({ status: `It is cancelled and ends on ${subscription.period_end}.` })
  const period = subscription.anchor_on === null ? periodOfFree(ctx, subscription) : {}
  await change(ctx, locked, { ...period, cancel_at_period_end: true, next_cycle: null })
  return recordEvent(ctx, locked, 'cancellation_planned', { ends_on: subscription.period_end ?? period.period_end })
}

const NO_PERIOD = { anchor_on: null, period_start: null, period_end: null }

function periodOfFree(ctx: PlatformCtx, { created_at, billing_cycle }: Subscription): Partial<Subscription> {
  const anchor_on = dayOf(created_at)
  const { start, end } = periodOf(anchor_on, billing_cycle, dayOf(ctx.now))
  return { anchor_on, period_start: start, period_end: end }
}

/** Withdraws a cancellation at the end of the period. 422 on `status` if there is none. */
export async function withdrawCancellation(ctx: PlatformCtx, locked: Billed) {
  refuseEnded(locked)
  if (!locked.subscription.cancel_at_period_end) throw invalid({ status: 'It is not cancelled.' })
  const isFree = decimal(locked.subscription.price).eq(0)
  await change(ctx, locked, { cancel_at_period_end: false, ...(isFree ? NO_PERIOD : {}) })
  return recordEvent(ctx, locked, 'cancellation_withdrawn')
}

/**
 * Ends a subscription at once, including an included one (BIL-04). 422 on `status` if it has ended, on `module` while others
 * require it.
 */
export async function deactivate(ctx: PlatformCtx, locked: Billed) {
  refuseEnded(locked)
  await refuseNeeded(ctx, locked)
  return end(ctx, locked, 'deactivated')
}

async function end(ctx: PlatformCtx, locked: Billed, event: 'cancelled' | 'deactivated') {
  await change(ctx, locked, { status: 'cancelled', ended_at: ctx.now, cancel_at_period_end: false, next_cycle: null })
  await creditUnused(ctx, locked.account, locked.subscription)
  return recordEvent(ctx, locked, event)
}

function refuseEnded({ subscription: { status } }: Billed) {
  if (!(LIVE as readonly string[]).includes(status)) throw invalid({ status: `This subscription is ${status}.` })
}

/** Throws a 422 on `module` while an installed module requires this one. */
async function refuseNeeded(ctx: PlatformCtx, { subscription: { tenant_id, module_key } }: Billed) {
  const installed = await installedModules(ctx.tx, tenant_id)
  const { workspace } = ctx.services.modules
  const dependents = [...installed].filter((key) => workspace.get(key)?.requires?.includes(module_key))
  const titles = dependents.map((key) => workspace.get(key)!.title)
  if (titles.length) throw invalid({ module: `${titles.join(', ')} ${titles.length > 1 ? 'need' : 'needs'} this module.` })
}

type Subscription = Billed['subscription']

async function change(ctx: PlatformCtx, { subscription: { tenant_id, id } }: Billed, changes: Partial<Subscription>) {
  await ctx.tx
    .updateTable('module_subscriptions')
    .set({ ...changes, updated_at: ctx.now })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .execute()
}

async function recordEvent(
  ctx: PlatformCtx,
  { subscription: { tenant_id, id } }: Billed,
  event: Parameters<typeof noteEvents>[1][number]['event'],
  properties?: Record<string, unknown>,
) {
  await noteEvents(ctx, [{ tenant_id, subscription_id: id, event, properties }])
  return showSubscription(ctx, id)
}
