/** Postmark: one JSON request per mail, with a server token. */
import { ask, type MailProvider, MailRefused, needed, type Outgoing, UUID_HEADER, UUID_TAG, written } from './provider.ts'

export const postmark = (base: string, settings: { postmark_token: string | null }): MailProvider => ({
  name: 'postmark',
  async send(mail, signal) {
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-postmark-server-token': needed(settings.postmark_token, 'postmark_token'),
    }
    const request = { headers, body: JSON.stringify(messageOf(mail)) }
    const { ErrorCode, Message, MessageID } = await ask('Postmark', `${base}/email`, request, signal)
    if (ErrorCode) throw new MailRefused(`Postmark refused the mail: ${Message}`)
    return { messageId: typeof MessageID === 'string' ? MessageID : null, refused: [] }
  },
})

const messageOf = (mail: Outgoing) => ({
  From: written(mail.from),
  To: mail.to.join(','),
  Cc: mail.cc.join(',') || undefined,
  Bcc: mail.bcc.join(',') || undefined,
  ReplyTo: mail.replyTo ?? undefined,
  Subject: mail.subject,
  HtmlBody: mail.html,
  TextBody: mail.text,
  MessageStream: 'outbound',
  Headers: Object.entries({ ...mail.headers, [UUID_HEADER]: mail.uuid }).map(([Name, Value]) => ({ Name, Value })),
  Metadata: { [UUID_TAG]: mail.uuid },
  Attachments: mail.attachments.map(({ name, mime, content }) => ({
    Name: name,
    ContentType: mime,
    Content: content.toString('base64'),
  })),
})
