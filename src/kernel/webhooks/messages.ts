/** Messages to endpoints: an event of the feed, in the documented format. */
import { z } from 'zod'
import type { WebhookMessages } from '../http/openapi-webhooks.ts'
import { instant } from '../values/fields.ts'
import type { Feed, FeedEvent } from './side.ts'
import type { signedHeaders } from './signing.ts'

/** Returns the body of an event's message. */
export const bodyOf = (event: FeedEvent) => JSON.stringify({ ...event, timestamp: event.occurred_at })

/** Returns the documented messages of a scope, by the schema of its events. */
export const messagesOf = (event: z.ZodObject, { types }: Feed): WebhookMessages => ({
  body: event
    .extend({ timestamp: instant().describe('When it happened, by the name that Standard Webhooks give it.') })
    .meta({ id: 'WebhookMessage' }),
  test: z
    .object({
      type: z.literal('webhook.test'),
      timestamp: instant().describe('When it was sent.'),
      data: z.object({ endpoint_id: z.int().describe('The endpoint that is tried.') }),
    })
    .meta({ id: 'WebhookTest' }),
  headers: {
    'webhook-id': 'The event: the same with each try, and with each retelling.',
    'webhook-timestamp': 'When it is sent, in seconds since 1970. Refuse what is older than five minutes.',
    'webhook-signature':
      'HMAC-SHA256 of `id.timestamp.body`, as `v1,<base64>`; several, separated by spaces, while a secret is rotated.',
  } satisfies Record<keyof ReturnType<typeof signedHeaders>, string>,
  types,
})
