/** Interface of a mail provider: sends a mail and returns the id that its events will refer to. */

export interface Address {
  name: string
  address: string
}

/** Mail in the form that providers send. */
export interface Outgoing {
  /** Uuid in the e-mail log. It is sent with the mail, so that events can be matched before the provider's id is stored. */
  uuid: string
  from: Address
  to: string[]
  cc: string[]
  bcc: string[]
  /** Recipients to deliver to, because the others have it already. null for all. */
  only: string[] | null
  replyTo: string | null
  /** Additional headers. */
  headers: Record<string, string>
  subject: string
  html: string
  text: string
  attachments: { name: string; mime: string; content: Buffer }[]
}

/** Result of a sent mail. */
export interface Sent {
  messageId: string | null
  /** Recipients that were refused while others were accepted. */
  refused: Refusal[]
}

/** Recipient that a server refused. */
export interface Refusal {
  recipient: string
  /** Reply of the recipient's server. */
  reason: string
  /** Whether a retry would fail too. */
  permanent: boolean
}

/** Service that sends mails. */
export interface MailProvider {
  /** Provider's name in the e-mail log. */
  name: 'smtp' | 'postmark' | 'mailgun' | 'ses'
  /** Sends a mail. Throws a MailRefused if it isn't accepted. Closes its connection when the signal is aborted. */
  send(mail: Outgoing, signal: AbortSignal): Promise<Sent>
}

/** Reason why a mail was not accepted, for the operator. */
export class MailRefused extends Error {
  /** Whether the reason concerns the recipients and not the service: the sender may see it. */
  readonly isOfRecipients: boolean
  constructor(message: string, isOfRecipients = false) {
    super(message)
    this.isOfRecipients = isOfRecipients
  }
}

/** Every recipient was refused for good. Neither a retry nor the operator can change that. */
export class RecipientsRefused extends MailRefused {
  readonly refusals: Refusal[]
  constructor(message: string, refusals: Refusal[]) {
    super(message, true)
    this.refusals = refusals
  }
}

/** Names under which a mail carries its uuid: as a header, and in the provider's metadata, variables or tags. */
export const UUID_HEADER = 'X-Atrium-Mail'
export const UUID_TAG = 'atrium_mail'

export const TIMEOUT_MS = 30_000

/** Returns a required credential or setting. Throws a MailRefused if it is missing. */
export function needed(value: string | null, key: string): string {
  if (!value) throw new MailRefused(`The setting ${key} is missing.`)
  return value
}

/** Formats an address: `"Acme, Inc." <mail@acme.test>`. */
export const written = ({ name, address }: Address) => (name ? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>` : address)

/** Maximum length that is read of a provider's reply, in characters. */
const MAX_REPLY = 64 * 1024

/**
 * Sends a request to a provider's HTTP API. An error reply, or none within half a minute, throws a MailRefused with the
 * provider's message.
 */
export async function ask(
  provider: string,
  url: string,
  request: RequestInit,
  given: AbortSignal,
): Promise<Record<string, unknown>> {
  const signal = AbortSignal.any([given, AbortSignal.timeout(TIMEOUT_MS)])
  let status: number
  let text: string
  try {
    const reply = await fetch(url, { ...request, method: 'POST', redirect: 'error', signal })
    status = reply.status
    text = await beginningOf(reply)
  } catch (error) {
    const { message, cause } = error as Error
    throw new MailRefused(`${provider} can't be reached: ${cause instanceof Error ? cause.message : message}`)
  }
  const body = parsed(text)
  if (status >= 200 && status < 300 && body) return body
  const said = body?.Message ?? body?.message ?? text
  throw new MailRefused(`${provider} refused the mail (${status}): ${String(said).slice(0, 500)}`)
}

async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) if ((text += decoder.decode(chunk, { stream: true })).length > MAX_REPLY) break
  return text
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
