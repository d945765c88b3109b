/** What is sent to endpoints: an event of the feed, as the API document tells receivers. */
import type { WebhookMessages } from '#kernel/http/openapi-webhooks.ts'
import { eventTypes } from '#kernel/records/event-types.ts'
import { instant } from '#kernel/values/fields.ts'
import { Event } from '#workspace/events/public.ts'
import type { signedHeaders } from './signing.ts'

/** The body of the message that tells of an event. */
export const bodyOf = (event: Event) => JSON.stringify({ ...event, timestamp: event.occurred_at })

export default {
  body: Event.extend({ timestamp: instant().describe('When it happened, by the name that Standard Webhooks give it.') }).meta({
    id: 'WebhookMessage',
  }),
  headers: {
    'webhook-id': 'The event: the same with each try, and with each retelling.',
    'webhook-timestamp': 'When it is sent, in seconds since 1970. Refuse what is older than five minutes.',
    'webhook-signature':
      'HMAC-SHA256 of `id.timestamp.body`, as `v1,<base64>`; several, separated by spaces, while a secret is rotated.',
  } satisfies Record<keyof ReturnType<typeof signedHeaders>, string>,
  types: eventTypes,
} satisfies WebhookMessages
