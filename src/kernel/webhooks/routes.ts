/** Routes of webhook endpoints, in both APIs. */
import { z } from 'zod'
import type { Ctx, PlatformCtx } from '../context.ts'
import { limiter } from '../http/limits.ts'
import type { platform, Route } from '../http/route.ts'
import { deliveriesOf, deliveryList, replay, retry, test } from './deliveries.ts'
import {
  createEndpoint,
  deleteEndpoint,
  type Endpoint,
  endpointList,
  endpoints,
  rotateSecret,
  typesToAsk,
  updateEndpoint,
} from './endpoints.ts'
import {
  CreateEndpoint,
  EndpointWithSecret,
  Replay,
  Replayed,
  UpdateEndpoint,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEventType,
} from './schema.ts'
import { type Feed, sideCtx, sideSteps } from './side.ts'

/** Limits routes that send requests to other servers, or cause many. */
const asking = limiter({ name: 'webhooks', points: 60, seconds: 60, by: 'user' })

/** Returns the routes. They require the permission webhooks.manage, which each scope declares itself. */
export function webhookRoutes(makers: typeof platform, feed: Feed): Route[] {
  const { get, post, del, multiTransaction } = makers
  const allow = 'webhooks.manage' as never
  const find = (ctx: Ctx | PlatformCtx, id: number): Promise<Endpoint> => endpoints.find(sideCtx(ctx), id)
  const lock = (ctx: Ctx | PlatformCtx, id: number): Promise<Endpoint> => endpoints.lock(sideCtx(ctx), id)
  return [
    get('/', { allow, query: endpointList.query, page: WebhookEndpoint }, (ctx, { query }) =>
      endpointList.page(sideCtx(ctx), query),
    ),
    multiTransaction.post(
      '/',
      {
        allow,
        grants: true,
        limit: asking,
        body: CreateEndpoint,
        reply: EndpointWithSecret,
        status: 201,
        message: 'Webhook endpoint created. Its secret is shown this once.',
      },
      (steps, { body }) => createEndpoint(feed, sideSteps(steps), body),
    ),
    get(
      '/types',
      {
        allow,
        reply: z.array(WebhookEventType),
        operation: 'listWebhookEventTypes',
        summary: 'List the types of event',
        description: 'Answers all types of event that an endpoint may ask for, of what is installed.',
      },
      (ctx) => typesToAsk(feed, ctx as unknown as Ctx | PlatformCtx),
    ),
    get('/:id', { allow, reply: WebhookEndpoint }, (ctx, { id }) => endpoints.show(sideCtx(ctx), id)),
    multiTransaction.put(
      '/:id',
      {
        allow,
        grants: true,
        limit: asking,
        record: find,
        body: UpdateEndpoint,
        reply: WebhookEndpoint,
        message: 'Webhook endpoint saved.',
      },
      (steps, { id, body }) => updateEndpoint(feed, sideSteps(steps), id, body),
    ),
    del('/:id', { allow, grants: true, record: lock, message: 'Webhook endpoint deleted.' }, (ctx, { record }) =>
      deleteEndpoint(sideCtx(ctx), record),
    ),
    post(
      '/:id/rotate',
      {
        allow,
        grants: true,
        record: lock,
        reply: EndpointWithSecret,
        message: 'Secret rotated. For a day messages are signed with both.',
        description:
          'Gives the endpoint a new signing secret, told once. For a day messages are signed with the former one too: with two at most, if it is rotated again.',
      },
      (ctx, { record }) => rotateSecret(sideCtx(ctx), record),
    ),
    multiTransaction.post(
      '/:id/test',
      {
        allow,
        grants: false,
        limit: asking,
        record: find,
        reply: WebhookDelivery,
        message: 'Test message sent.',
        description: 'Sends a test message at once and answers what came of it.',
      },
      (steps, { id }) => test(sideSteps(steps), id),
    ),
    get('/:id/deliveries', { allow, query: deliveryList.query, page: WebhookDelivery }, async (ctx, { id, query }) => {
      await find(ctx, id)
      return deliveriesOf(sideCtx(ctx), id, query)
    }),
    post(
      '/:id/deliveries/:delivery/retry',
      {
        allow,
        grants: false,
        limit: asking,
        record: lock,
        reply: WebhookDelivery,
        message: 'It is tried again.',
        description: 'Tries a delivery once more, as soon as possible.',
      },
      (ctx, { record, delivery }) => retry(sideCtx(ctx), record, delivery),
    ),
    multiTransaction.post(
      '/:id/replay',
      {
        allow,
        grants: false,
        limit: asking,
        record: find,
        body: Replay,
        reply: Replayed,
        message: 'They are told again.',
        description:
          'Tells the endpoint again what happened between two instants, of its own types and of what its maker may see, whoever asks for it.',
      },
      (steps, { record, body }) => replay(feed, sideSteps(steps), record, body),
    ),
  ]
}
