import { platform } from '#kernel/http/route.ts'
import { changeCycle } from './changing.ts'
import { cancel, deactivate, withdrawCancellation } from './ending.ts'
import { CancelSubscription, ChangeSubscription, Subscription, SubscriptionDetail } from './schema.ts'
import { lockSubscription, showSubscription, subscriptionList } from './subscriptions.ts'

const { get, post, put } = platform
const change = { allow: 'module-subscriptions.update', record: lockSubscription, reply: SubscriptionDetail } as const

export default [
  get('/', { allow: 'module-subscriptions.list', query: subscriptionList.query, page: Subscription }, (ctx, { query }) =>
    subscriptionList.page(ctx, query),
  ),
  get('/:id', { allow: 'module-subscriptions.read', reply: SubscriptionDetail }, (ctx, { id }) => showSubscription(ctx, id)),
  put(
    '/:id',
    {
      ...change,
      body: ChangeSubscription,
      message: 'Billing cycle changed.',
      description:
        'Changes the cycle: at once, where the setting `proration_mode` is `prorate`, with what is left of the paid period as credit; else from the end of the current period on. The price of the new cycle is that of the catalogue.',
    },
    (ctx, { record, body }) => changeCycle(ctx, record, body.billing_cycle),
  ),
  post(
    '/:id/cancel',
    {
      ...change,
      body: CancelSubscription,
      message: 'Subscription cancelled.',
      description:
        'Ends the subscription at the end of its period, or at once. The module then answers 403 in that workspace; its data stay.',
    },
    (ctx, { record, body }) => cancel(ctx, record, body.immediately),
  ),
  post(
    '/:id/resume',
    { ...change, message: 'Cancellation withdrawn.', description: 'Takes back a cancellation that has not come into effect.' },
    (ctx, { record }) => withdrawCancellation(ctx, record),
  ),
  post(
    '/:id/deactivate',
    {
      ...change,
      allow: 'module-subscriptions.deactivate',
      message: 'Module deactivated.',
      description: 'Takes the module out of the workspace at once, whatever was paid. Its data stay.',
    },
    (ctx, { record }) => deactivate(ctx, record),
  ),
]
