/** A message as it goes over the wire: the same bytes for its recipients and, with the blind ones named, for the Sent folder. */
import MailComposer from 'nodemailer/lib/mail-composer'
import { plainOf, sanitizeHtml } from '#kernel/values/html.ts'
import { htmlWithImages } from '../messages/display.ts'
import type { MessageRow } from '../messages/messages.ts'
import type { Person } from '../messages/schema.ts'

const addresses = (some: unknown) => (some as Person[]).map(({ email, name }) => ({ address: email, name: name ?? '' }))

export const peopleIn = ({ to, cc, bcc }: Pick<MessageRow, 'to' | 'cc' | 'bcc'>): string[] => [
  ...new Set([to, cc, bcc].flatMap((some) => addresses(some).map(({ address }) => address))),
]

export function mimeOf(message: MessageRow, { keepBcc }: { keepBcc: boolean }): Promise<Buffer> {
  const html = message.body_html ? htmlWithImages(message.body_html) : undefined
  const composer = new MailComposer({
    from: addresses([message.from])[0],
    to: addresses(message.to),
    cc: addresses(message.cc),
    bcc: addresses(message.bcc),
    subject: message.subject,
    html,
    text: message.body_text ?? (html ? plainOf(sanitizeHtml(html)) : ''),
    messageId: message.message_id,
    date: new Date(message.date),
    inReplyTo: message.in_reply_to ?? undefined,
    references: message.reference_ids,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const compiled = composer.compile()
  compiled.keepBcc = keepBcc
  return compiled.build()
}
