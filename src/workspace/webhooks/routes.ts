import { limiter } from '#kernel/http/limits.ts'
import { workspace } from '#kernel/http/route.ts'
import { deliveriesOf, deliveryList, replay, retry, test } from './deliveries.ts'
import { createEndpoint, deleteEndpoint, endpointList, endpoints, rotateSecret, updateEndpoint } from './endpoints.ts'
import {
  CreateEndpoint,
  EndpointWithSecret,
  Replay,
  Replayed,
  UpdateEndpoint,
  WebhookDelivery,
  WebhookEndpoint,
} from './schema.ts'

const { get, post, del, multiTransaction } = workspace
const allow = 'webhooks.manage'
/** Each asks a stranger's server, or for many of its replies. */
const asking = limiter({ name: 'webhooks', points: 60, seconds: 60, by: 'user' })

export default [
  get('/', { allow, query: endpointList.query, page: WebhookEndpoint }, (ctx, { query }) => endpointList.page(ctx, query)),
  multiTransaction.post(
    '/',
    {
      allow,
      limit: asking,
      body: CreateEndpoint,
      reply: EndpointWithSecret,
      status: 201,
      message: 'Webhook endpoint created. Its secret is shown this once.',
    },
    (steps, { body }) => createEndpoint(steps, body),
  ),
  get('/:id', { allow, reply: WebhookEndpoint }, (ctx, { id }) => endpoints.show(ctx, id)),
  multiTransaction.put(
    '/:id',
    {
      allow,
      limit: asking,
      record: endpoints.find,
      body: UpdateEndpoint,
      reply: WebhookEndpoint,
      message: 'Webhook endpoint saved.',
    },
    (steps, { id, body }) => updateEndpoint(steps, id, body),
  ),
  del('/:id', { allow, record: endpoints.lock, message: 'Webhook endpoint deleted.' }, (ctx, { record }) =>
    deleteEndpoint(ctx, record),
  ),
  post(
    '/:id/rotate',
    {
      allow,
      record: endpoints.lock,
      reply: EndpointWithSecret,
      message: 'Secret rotated. For a day messages are signed with both.',
      description: 'Gives the endpoint a new signing secret, told once. For a day messages are signed with the former one too.',
    },
    (ctx, { record }) => rotateSecret(ctx, record),
  ),
  multiTransaction.post(
    '/:id/test',
    {
      allow,
      limit: asking,
      record: endpoints.find,
      reply: WebhookDelivery,
      message: 'Test message sent.',
      description: 'Sends a test message at once and answers what came of it.',
    },
    (steps, { id }) => test(steps, id),
  ),
  get('/:id/deliveries', { allow, query: deliveryList.query, page: WebhookDelivery }, async (ctx, { id, query }) => {
    await endpoints.find(ctx, id)
    return deliveriesOf(ctx, id, query)
  }),
  post(
    '/:id/deliveries/:delivery/retry',
    {
      allow,
      limit: asking,
      record: endpoints.lock,
      reply: WebhookDelivery,
      message: 'It is tried again.',
      description: 'Tries a delivery once more, as soon as possible.',
    },
    (ctx, { record, delivery }) => retry(ctx, record, delivery),
  ),
  post(
    '/:id/replay',
    {
      allow,
      limit: asking,
      record: endpoints.lock,
      body: Replay,
      reply: Replayed,
      message: 'They are told again.',
      description: 'Tells the endpoint again what happened between two instants.',
    },
    (ctx, { record, body }) => replay(ctx, record, body),
  ),
]
