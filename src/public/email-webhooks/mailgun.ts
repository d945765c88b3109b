/**
 * Mailgun sends a request per event, signed with the account's HTTP webhook signing key. The signature covers a timestamp and a
 * token but not the event. So a token is accepted for one body only, within the hours in which Mailgun retries.
 */
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { unauthenticated } from '#kernel/errors.ts'
import type { MailEvent } from '#kernel/mail/mail-event.ts'
import { UUID_TAG } from '#kernel/mail/providers/provider.ts'
import { bodyOf, instantOf, isSecret, type ProviderEvent, type Reader, recipient, secretOf, words } from './reading.ts'

const Message = z.object({
  signature: z.object({
    timestamp: z.union([z.string().max(20), z.number()]).transform(String),
    token: z.string().min(1).max(100),
    signature: z.string().max(200),
  }),
  'event-data': z.object({
    event: z.string().max(100),
    id: words(200),
    timestamp: z.number().nullish().catch(null),
    recipient: recipient(),
    severity: words(50),
    reason: words(200),
    url: words(),
    message: z
      .object({ headers: z.object({ 'message-id': words(1000) }).optional() })
      .nullish()
      .catch(null),
    'user-variables': z.record(z.string(), z.unknown()).nullish().catch(null),
    'delivery-status': z.object({ message: words(), description: words() }).nullish().catch(null),
  }),
})
type Data = z.output<typeof Message>['event-data']

export const mailgun: Reader = async (told) => {
  const secret = secretOf(told)
  const { signature, 'event-data': data } = bodyOf(Message, told.raw)
  refuseForged(signature, secret, told)
  const reading = readingOf(data)
  if (!reading) return { events: [] }
  const event: MailEvent = {
    permanent: false,
    ...reading,
    messageId: data.message?.headers?.['message-id'] ?? null,
    uuid: String(data['user-variables']?.[UUID_TAG] ?? ''),
    recipient: data.recipient,
    occurredAt: instantOf(data.timestamp, told.now),
    id: data.id,
  }
  return { events: [event], token: signature.token }
}

/** Mailgun retries for eight hours. */
const WINDOW_SECONDS = 12 * 3600

function refuseForged(
  { timestamp, token, signature }: z.output<typeof Message>['signature'],
  secret: string,
  { now }: ProviderEvent,
) {
  const expected = createHmac('sha256', secret)
    .update(timestamp + token)
    .digest('hex')
  const fresh = Math.abs(Date.parse(now) / 1000 - Number(timestamp)) <= WINDOW_SECONDS
  if (!isSecret(signature, expected) || !fresh) throw unauthenticated('The signature is not right.')
}

function readingOf(data: Data): (Pick<MailEvent, 'type' | 'detail'> & { permanent?: boolean }) | undefined {
  const status = data['delivery-status']
  const detail = status?.message || status?.description || data.reason
  switch (data.event) {
    case 'delivered':
      return { type: 'delivered', detail }
    case 'failed':
      return data.severity === 'temporary' ? { type: 'deferred', detail } : { type: 'bounced', permanent: true, detail }
    case 'rejected':
      return { type: 'failed', detail }
    case 'complained':
      return { type: 'complained', detail: null }
    case 'opened':
      return { type: 'opened', detail: null }
    case 'clicked':
      return { type: 'clicked', detail: data.url }
    default:
      return undefined // accepted, stored, unsubscribed
  }
}
