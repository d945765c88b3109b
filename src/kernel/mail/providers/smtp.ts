/** Any SMTP server: of the environment by its address, or of the settings by host, port and encryption. */
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
 * The server of SMTP_URL. `required`: encrypted, by a certificate that holds, or nothing is sent. `opportunistic`: encrypted where the server
 * can, whatever its certificate, which keeps out who listens and not who stands between. `off`: never. On this machine, where nobody stands
 * between, the default is opportunistic, so that a server with a certificate of its own making is served; else it is required.
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
      // What is said to anything else is about us: a password, the sender's address.
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

/** nodemailer's error of what a server answered to a command. */
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

/** Whom a server is given a mail for, where that is not everybody whom it names. */
const envelopeOf = ({ from, only }: Outgoing) => (only ? { envelope: { from: from.address, to: only } } : {})

/** A mail in nodemailer's terms. */
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
