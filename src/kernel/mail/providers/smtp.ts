/** Any SMTP server: by `SMTP_URL`, or by host, port and encryption in the settings. */
import { isLoopback } from '../../values/loopback.ts'
import {
  type MailProvider,
  MailRefused,
  needed,
  type Outgoing,
  RecipientsRefused,
  type Refusal,
  TIMEOUT_MS,
  UUID_HEADER,
} from './provider.ts'

export interface SmtpSettings {
  smtp_host: string | null
  smtp_port: number
  smtp_encryption: 'none' | 'starttls' | 'tls'
  smtp_username: string | null
  smtp_password: string | null
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: TIMEOUT_MS }

/**
 * Provider for the server of SMTP_URL. `required`: TLS with a valid certificate, or nothing is sent. `opportunistic`: TLS if the
 * server supports it, with any certificate, which stops eavesdroppers but not a man in the middle. `off`: never TLS. On this
 * machine, where no man in the middle is possible, the default is opportunistic, so that self-signed certificates work; else
 * required.
 */
export function smtpByUrl(url: string, tls: 'required' | 'opportunistic' | 'off' | undefined): MailProvider {
  const how = tls ?? (isLoopback(url.replace(/^smtps?/, 'http')) ? 'opportunistic' : 'required')
  const options = { requireTLS: how === 'required', ignoreTLS: how === 'off', tls: { rejectUnauthorized: how === 'required' } }
  return over(() => ({ url, ...options, ...timeouts }))
}

export const smtp = (settings: SmtpSettings): MailProvider =>
  over(() => ({
    host: needed(settings.smtp_host, 'smtp_host'),
    port: settings.smtp_port,
    secure: settings.smtp_encryption === 'tls',
    requireTLS: settings.smtp_encryption === 'starttls',
    ignoreTLS: settings.smtp_encryption === 'none',
    ...(settings.smtp_username ? { auth: { user: settings.smtp_username, pass: settings.smtp_password ?? '' } } : {}),
    ...timeouts,
  }))

const over = (optionsOf: () => object): MailProvider => ({
  name: 'smtp',
  async send(mail, signal) {
    const options = optionsOf()
    const { default: nodemailer } = await import('nodemailer')
    try {
      const sent = await nodemailer.createTransport(options).sendMail({ ...messageOf(mail), ...envelopeOf(mail), signal })
      return { messageId: sent.messageId ?? null, refused: refusalsIn(sent.rejectedErrors) }
    } catch (error) {
      const { message, responseCode = 0, command = '', rejectedErrors } = error as Reply
      const text = `The mail server ${responseCode ? 'refused' : 'could not be given'} the mail: ${message}`
      // Replies to other commands concern the service: its password or the sender's address.
      const isOfRecipients = responseCode > 0 && ['RCPT TO', 'DATA'].includes(command)
      if (responseCode < 500 || !isOfRecipients) throw new MailRefused(text, isOfRecipients)
      const refusals = refusalsIn(rejectedErrors)
      const everybody = mail.only ?? [...new Set([...mail.to, ...mail.cc, ...mail.bcc])]
      throw new RecipientsRefused(
        text,
        refusals.length ? refusals : everybody.map((recipient) => ({ recipient, reason: message, permanent: true })),
      )
    }
  },
})

/** nodemailer's error of a server's reply to a command. */
interface Reply extends Error {
  recipient?: string
  response?: string
  responseCode?: number
  command?: string
  rejectedErrors?: Reply[]
}

const refusalsIn = (errors: unknown): Refusal[] =>
  ((errors ?? []) as Reply[]).map(({ recipient = '', response, message, responseCode = 0 }) => ({
    recipient,
    reason: response ?? message,
    permanent: responseCode >= 500,
  }))

/** Returns the envelope if it differs from the recipients in the headers. */
const envelopeOf = ({ from, only }: Outgoing) => (only ? { envelope: { from: from.address, to: only } } : {})

/** Returns a mail in nodemailer's form. */
export const messageOf = (mail: Outgoing) => ({
  from: mail.from,
  to: mail.to,
  cc: mail.cc,
  bcc: mail.bcc,
  replyTo: mail.replyTo ?? undefined,
  subject: mail.subject,
  html: mail.html,
  text: mail.text,
  attachments: mail.attachments.map(({ name, mime, content }) => ({ filename: name, contentType: mime, content })),
  headers: { ...mail.headers, [UUID_HEADER]: mail.uuid },
})
