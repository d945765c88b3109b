/** Amazon SES reports through SNS: events of a configuration set, or notifications of an identity. */
import { z } from 'zod'
import type { MailEvent, MailEventType } from '#kernel/mail/mail-event.ts'
import { UUID_TAG } from '#kernel/mail/providers/provider.ts'
import { bodyOf, instantOf, type Reader, recipient, words } from './reading.ts'
import { snsMessage } from './sns.ts'

const people = z
  .array(z.object({ emailAddress: recipient(), diagnosticCode: words() }))
  .max(100)
  .catch([])
const at = words(50)

const Message = z.object({
  eventType: words(50),
  notificationType: words(50),
  mail: z.object({
    messageId: z.string().max(200),
    tags: z.record(z.string(), z.array(z.string())).nullish().catch(null),
  }),
  delivery: z.object({ timestamp: at, recipients: z.array(recipient()).max(100).catch([]), smtpResponse: words() }).optional(),
  deliveryDelay: z.object({ timestamp: at, delayedRecipients: people }).optional(),
  bounce: z.object({ timestamp: at, bounceType: words(50), feedbackId: words(200), bouncedRecipients: people }).optional(),
  complaint: z.object({ timestamp: at, feedbackId: words(200), complainedRecipients: people }).optional(),
  reject: z.object({ reason: words() }).optional(),
  failure: z.object({ errorMessage: words() }).optional(),
  open: z.object({ timestamp: at }).optional(),
  click: z.object({ timestamp: at, link: words() }).optional(),
})
type Message = z.output<typeof Message>

export const ses: Reader = async (told) => {
  const text = await snsMessage(told)
  if (text === undefined || !text.startsWith('{')) return { events: [] } // SES sends a line of plain text to a new topic
  const message = bodyOf(Message, Buffer.from(text))
  const common = { messageId: message.mail.messageId, uuid: message.mail.tags?.[UUID_TAG]?.[0] ?? null, id: null }
  const events = readingsOf(message).map(({ timestamp, id, ...event }) => ({
    ...common,
    ...event,
    occurredAt: instantOf(timestamp, told.now),
    id: id ? `${event.type} ${id} ${event.recipient}` : null,
  }))
  return { events }
}

interface Reading extends Pick<MailEvent, 'type' | 'recipient' | 'permanent' | 'detail'> {
  timestamp: string | null
  id?: string | null
}

/** Returns an event for each recipient. */
function readingsOf(message: Message): Reading[] {
  const { delivery, deliveryDelay, bounce, complaint, reject, failure, open, click } = message
  const one = (type: MailEventType, timestamp: string | null, more: Partial<Reading> = {}): Reading => ({
    type,
    timestamp,
    recipient: null,
    permanent: false,
    detail: null,
    ...more,
  })
  const each = (type: MailEventType, timestamp: string | null, all: z.output<typeof people>, more: Partial<Reading> = {}) =>
    all.map(({ emailAddress, diagnosticCode }) =>
      one(type, timestamp, { recipient: emailAddress, detail: diagnosticCode, ...more }),
    )
  switch (message.eventType ?? message.notificationType) {
    case 'Delivery':
      return (delivery?.recipients ?? []).map((address) =>
        one('delivered', delivery!.timestamp, { recipient: address, detail: delivery!.smtpResponse }),
      )
    case 'DeliveryDelay':
      return each('deferred', deliveryDelay?.timestamp ?? null, deliveryDelay?.delayedRecipients ?? [])
    case 'Bounce': {
      const more = { permanent: bounce?.bounceType === 'Permanent', id: bounce?.feedbackId }
      return each('bounced', bounce?.timestamp ?? null, bounce?.bouncedRecipients ?? [], more)
    }
    case 'Complaint':
      return each('complained', complaint?.timestamp ?? null, complaint?.complainedRecipients ?? [], {
        id: complaint?.feedbackId,
      })
    case 'Reject':
      return [one('failed', null, { detail: reject?.reason ?? null })]
    case 'Rendering Failure':
      return [one('failed', null, { detail: failure?.errorMessage ?? null })]
    case 'Open':
      return [one('opened', open?.timestamp ?? null)]
    case 'Click':
      return [one('clicked', click?.timestamp ?? null, { detail: click?.link ?? null })]
    default:
      return [] // Send, Subscription
  }
}
