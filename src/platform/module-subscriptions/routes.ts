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
  put('/:id', { ...change, body: ChangeSubscription, message: 'Billing cycle changed.' }, (ctx, { record, body }) =>
    changeCycle(ctx, record, body.billing_cycle),
  ),
  post('/:id/cancel', { ...change, body: CancelSubscription, message: 'Subscription cancelled.' }, (ctx, { record, body }) =>
    cancel(ctx, record, body.immediately),
  ),
  post('/:id/resume', { ...change, message: 'Cancellation withdrawn.' }, (ctx, { record }) => withdrawCancellation(ctx, record)),
  post(
    '/:id/deactivate',
    { ...change, allow: 'module-subscriptions.deactivate', message: 'Module deactivated.' },
    (ctx, { record }) => deactivate(ctx, record),
  ),
]
