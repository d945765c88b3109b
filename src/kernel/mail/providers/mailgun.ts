/** Mailgun: one form request per mail, below the sending domain. Accounts are in the US or the EU. */
import { ask, type MailProvider, needed, type Outgoing, UUID_HEADER, UUID_TAG, written } from './provider.ts'

export const mailgunBases = { us: 'https://api.mailgun.net', eu: 'https://api.eu.mailgun.net' }

export const mailgun = (
  base: string,
  settings: { mailgun_domain: string | null; mailgun_api_key: string | null },
): MailProvider => ({
  name: 'mailgun',
  async send(mail, signal) {
    const domain = encodeURIComponent(needed(settings.mailgun_domain, 'mailgun_domain'))
    const key = Buffer.from(`api:${needed(settings.mailgun_api_key, 'mailgun_api_key')}`).toString('base64')
    const request = { headers: { authorization: `Basic ${key}` }, body: formOf(mail) }
    const { id } = await ask('Mailgun', `${base}/v3/${domain}/messages`, request, signal)
    // Mailgun's events contain the message id without brackets.
    return { messageId: typeof id === 'string' ? id.replace(/^<|>$/g, '') : null, refused: [] }
  },
})

function formOf(mail: Outgoing) {
  const form = new FormData()
  form.append('from', written(mail.from))
  for (const field of ['to', 'cc', 'bcc'] as const) for (const address of mail[field]) form.append(field, address)
  form.append('subject', mail.subject)
  form.append('html', mail.html)
  form.append('text', mail.text)
  if (mail.replyTo) form.append('h:Reply-To', mail.replyTo)
  for (const [name, value] of Object.entries({ ...mail.headers, [UUID_HEADER]: mail.uuid })) form.append(`h:${name}`, value)
  form.append(`v:${UUID_TAG}`, mail.uuid)
  for (const { name, mime, content } of mail.attachments)
    form.append('attachment', new Blob([new Uint8Array(content)], { type: mime }), name)
  return form
}
