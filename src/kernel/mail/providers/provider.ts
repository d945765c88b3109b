/** What a mail provider is to Atrium: somebody who takes a mail, and says by what id they will speak of it later. */

export interface Address {
  name: string
  address: string
}

/** A mail as it leaves. */
export interface Outgoing {
  /** Its uuid in the e-mail log; travels with it, so that the provider's events find it even before its own id is stored. */
  uuid: string
  from: Address
  to: string[]
  cc: string[]
  bcc: string[]
  /** Who of these it is given to: the others have it already. Null: all. */
  only: string[] | null
  replyTo: string | null
  /** Further headers. */
  headers: Record<string, string>
  subject: string
  html: string
  text: string
  attachments: { name: string; mime: string; content: Buffer }[]
}

export interface Sent {
  messageId: string | null
  /** Recipients that were refused while others were taken. */
  refused: Refusal[]
}

export interface Refusal {
  recipient: string
  /** What their server said. */
  reason: string
  /** It would say so again. */
  permanent: boolean
}

export interface MailProvider {
  /** As the e-mail log calls it. */
  name: 'smtp' | 'postmark' | 'mailgun' | 'ses'
  /** Throws a MailRefused when the mail was not taken. Ends its connection when the signal is aborted. */
  send(mail: Outgoing, signal: AbortSignal): Promise<Sent>
}

/** Why a mail was not taken, in words for the operator. */
export class MailRefused extends Error {
  /** It was said of its recipients, and not of us: whoever sent the mail may be told. */
  readonly isOfRecipients: boolean
  constructor(message: string, isOfRecipients = false) {
    super(message)
    this.isOfRecipients = isOfRecipients
  }
}

/** Every recipient is refused for good: no later try, and nobody who looks after the service, can change that. */
export class RecipientsRefused extends MailRefused {
  readonly refusals: Refusal[]
  constructor(message: string, refusals: Refusal[]) {
    super(message, true)
    this.refusals = refusals
  }
}

/** Where a mail carries its uuid: as a header, and as what each provider calls metadata, variables or tags. */
export const UUID_HEADER = 'X-Atrium-Mail'
export const UUID_TAG = 'atrium_mail'

export const TIMEOUT_MS = 30_000

/** A credential or setting that must be there. */
export function needed(value: string | null, key: string): string {
  if (!value) throw new MailRefused(`The setting ${key} is missing.`)
  return value
}

/** `"Acme, Inc." <mail@acme.test>` */
export const written = ({ name, address }: Address) => (name ? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>` : address)

/** Of a provider's reply no more is read, in characters. */
const MAX_REPLY = 64 * 1024

/** Asks a provider's HTTP interface. A reply that is no success, or none in half a minute, is a refusal with the provider's own words. */
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
