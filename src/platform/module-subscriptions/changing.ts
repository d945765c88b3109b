/** Changes between monthly and yearly billing. */
import type { PlatformCtx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { LIVE } from '#kernel/modules/subscriptions.ts'
import { type Billed, noteEvents, startTerm } from '#platform/billing/public.ts'
import { showSubscription } from './subscriptions.ts'

/**
 * Changes the billing cycle: at once with proration, else from the next period. A trial changes at once. 422 on `status` if the
 * subscription has ended or is cancelled, on `billing_cycle` if the module isn't sold that way.
 */
export async function changeCycle(ctx: PlatformCtx, { subscription, account }: Billed, cycle: 'monthly' | 'yearly') {
  const { tenant_id, id, status, cancel_at_period_end } = subscription
  if (!(LIVE as readonly string[]).includes(status)) throw invalid({ status: `This subscription is ${status}.` })
  if (cancel_at_period_end) throw invalid({ status: 'It is cancelled. Withdraw the cancellation first.' })
  const from = await startTerm(ctx, account, subscription, cycle)
  if (from !== undefined) {
    const properties = { from: subscription.billing_cycle, to: cycle, on: from }
    await noteEvents(ctx, [{ tenant_id, subscription_id: id, event: 'cycle_changed', properties }])
  }
  return showSubscription(ctx, id)
}
