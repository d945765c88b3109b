/**
 * Webhook for any other mail server, in our own format: one event or up to 100, signed with the secret in `X-Service-Signature`.
 */
import { z } from 'zod'
import { unauthenticated } from '#kernel/errors.ts'
import { isSigned } from '#kernel/http/signature.ts'
import { mailEvents } from '#kernel/modules/declared-settings.ts'
import { choice, email } from '#kernel/values/fields.ts'
import { bodyOf, instantOf, type Reader, secretOf } from './reading.ts'

const Event = z.object({
  type: choice(mailEvents),
  message_id: z.string().trim().min(1, 'Must not be empty.').max(1000),
  recipient: email().nullish(),
  permanent: z.boolean().default(false),
  detail: z.string().max(1000).nullish(),
  occurred_at: z.iso.datetime({ offset: true, error: 'Must be an instant.' }).nullish(),
  id: z.string().max(200).nullish(),
})
const One = Event.transform((event) => [event])
const Many = z.object({ events: z.array(Event).max(100, 'Must be at most 100 events.') }).transform(({ events }) => events)

export const generic: Reader = async (told) => {
  const secret = secretOf(told)
  if (!isSigned(told.headers['x-service-signature'], secret, told.raw, told.now))
    throw unauthenticated('The signature is not right.')
  const body = bodyOf(z.record(z.string(), z.unknown()), told.raw)
  const events = bodyOf('events' in body ? Many : One, told.raw).map((event) => ({
    type: event.type,
    messageId: event.message_id,
    uuid: null,
    recipient: event.recipient ?? null,
    permanent: event.permanent,
    detail: event.detail ?? null,
    occurredAt: instantOf(event.occurred_at, told.now),
    id: event.id ?? null,
  }))
  return { events }
}
