/** Composes a message. A pure function, so that it can run in a child process. */
import MailComposer from 'nodemailer/lib/mail-composer'
import { plainOf, sanitizeLong } from '#kernel/values/html.ts'
import { harmlessHtml } from '../messages/display.ts'

interface Address {
  address: string
  name: string
}

/** Data from which a message is composed. */
export interface Letter {
  from: Address
  to: Address[]
  cc: Address[]
  bcc: Address[]
  subject: string
  body_html: string | null
  body_text: string | null
  message_id: string
  date: string
  in_reply_to: string | null
  reference_ids: string[]
  keepBcc: boolean
  files: { name: string; mime: string; content: Uint8Array }[]
}

/** Returns the message as MIME (RFC 5322). */
export function composeMime({ keepBcc, body_html, body_text, files, ...letter }: Letter): Promise<Buffer> {
  const html = body_html ? harmlessHtml({ html: body_html, images: 'load' }) : undefined
  const composer = new MailComposer({
    ...{ from: letter.from, to: letter.to, cc: letter.cc, bcc: letter.bcc, subject: letter.subject },
    html,
    text: body_text ?? (html ? plainOf(sanitizeLong(html)) : ''),
    messageId: letter.message_id,
    date: new Date(letter.date),
    inReplyTo: letter.in_reply_to ?? undefined,
    references: letter.reference_ids,
    attachments: files.map(({ name, mime, content }) => ({ filename: name, contentType: mime, content: Buffer.from(content) })),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const compiled = composer.compile()
  compiled.keepBcc = keepBcc
  return compiled.build()
}
