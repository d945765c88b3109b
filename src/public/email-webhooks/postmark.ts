/**
 * Postmark sends a request per event. It authenticates with what the operator put into the webhook's address or headers: Basic
 * authorization with the secret as password, `X-Webhook-Token`, or `?token=`.
 */
import { z } from 'zod'
import { unauthenticated } from '#kernel/errors.ts'
import type { MailEvent } from '#kernel/mail/mail-event.ts'
import { UUID_TAG } from '#kernel/mail/providers/provider.ts'
import { bodyOf, instantOf, isSecret, type ProviderEvent, type Reader, recipient, secretOf, words } from './reading.ts'

const Message = z.object({
  RecordType: z.string().max(100),
  ID: z.union([z.number(), z.string().max(100)]).optional(),
  MessageID: z.string().max(200).optional(),
  Metadata: z.record(z.string(), z.unknown()).nullish().catch(null),
  Recipient: recipient(),
  Email: recipient(),
  Type: words(100),
  Description: words(),
  Details: words(),
  OriginalLink: words(),
  DeliveredAt: words(50),
  BouncedAt: words(50),
  ReceivedAt: words(50),
})
type Message = z.output<typeof Message>

export const postmark: Reader = async (told) => {
  refuseStrangers(told)
  const message = bodyOf(Message, told.raw)
  const reading = readingOf(message)
  if (!reading) return { events: [] }
  const { ID, MessageID, Metadata, Recipient, Email, DeliveredAt, BouncedAt, ReceivedAt } = message
  const event: MailEvent = {
    permanent: false,
    ...reading,
    messageId: MessageID ?? null,
    uuid: String(Metadata?.[UUID_TAG] ?? ''),
    recipient: Recipient ?? Email,
    occurredAt: instantOf(DeliveredAt ?? BouncedAt ?? ReceivedAt, told.now),
    id: ID === undefined ? null : `${message.RecordType} ${ID}`,
  }
  return { events: [event] }
}

function refuseStrangers(told: ProviderEvent) {
  const secret = secretOf(told)
  const { authorization = '', 'x-webhook-token': token } = told.headers
  const [, basic = ''] = /^Basic ([\w+/=-]+)$/i.exec(authorization) ?? []
  const password = Buffer.from(basic, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '')
  if (![password, token, told.query.token].some((given) => isSecret(given, secret)))
    throw unauthenticated('The secret is not right.')
}

/** Bounces of a dead address. Postmark retries after a transient one. */
const HARD = new Set(['HardBounce', 'BadEmailAddress'])

function readingOf({
  RecordType,
  Type,
  Description,
  Details,
  OriginalLink,
}: Message): (Pick<MailEvent, 'type' | 'detail'> & { permanent?: boolean }) | undefined {
  switch (RecordType) {
    case 'Delivery':
      return { type: 'delivered', detail: Details }
    case 'Bounce':
      if (Type === 'Transient') return { type: 'deferred', detail: Details ?? Description }
      return { type: 'bounced', permanent: HARD.has(Type ?? ''), detail: Details ?? Description }
    case 'SpamComplaint':
      return { type: 'complained', detail: Description }
    case 'Open':
      return { type: 'opened', detail: null }
    case 'Click':
      return { type: 'clicked', detail: OriginalLink }
    default:
      return undefined // subscription changes and unknown types
  }
}
