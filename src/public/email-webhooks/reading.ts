/** Interface of the providers' webhook readers, and their common parsers. */
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { badRequest, unauthenticated } from '#kernel/errors.ts'
import { parse } from '#kernel/http/input.ts'
import type { MailEvent } from '#kernel/mail/mail-event.ts'
import { sameBytes, sha256 } from '#kernel/secrets/secrets.ts'
import { plusSeconds } from '#kernel/values/time.ts'

/** Request of a provider, and the configuration that it is verified with. */
export interface ProviderEvent {
  headers: IncomingHttpHeaders
  query: Record<string, unknown>
  raw: Buffer
  now: string
  /** `mail_webhook_secret`. */
  secret: string | null
  /** Our SNS topic. */
  topic: string | null
  /** Address of a stand-in for SNS. */
  snsUrl: string | undefined
}

/** Verifies the sender (401) and parses the events. `token`: the message is accepted once, with this body. */
export type Reader = (told: ProviderEvent) => Promise<{ events: MailEvent[]; token?: string }>

/** Parses the body as JSON with this schema; 400 or 422 if that fails. */
export function bodyOf<S extends z.core.$ZodType>(schema: S, raw: Buffer): z.output<S> {
  let value: unknown
  try {
    value = JSON.parse(raw.toString('utf8'))
  } catch {
    throw badRequest('The body is no JSON.')
  }
  return parse(schema, value)
}

/** Returns the secret, or throws a 401 if none is configured, because nothing can be verified then. */
export function secretOf({ secret }: ProviderEvent): string {
  if (!secret) throw unauthenticated('This webhook is not configured.')
  return secret
}

/** Compares secrets in constant time, independent of their length. */
export const isSecret = (given: unknown, secret: string) => typeof given === 'string' && sameBytes(sha256(given), sha256(secret))

/** Text that may be missing, of another type, or too long. */
export const words = (max = 1000) =>
  z
    .string()
    .transform((text) => text.slice(0, max).toWellFormed() || null)
    .nullish()
    .transform((text) => text ?? null)
    .catch(null)

/** E-mail address in normalised form. */
export const recipient = () => words(254).transform((text) => text?.trim().toLowerCase() ?? null)

const EARLIEST = '2000-01-01T00:00:00.000Z'

/** Parses a provider's timestamp, as text or seconds. Returns the current time for an implausible one. */
export function instantOf(given: string | number | null | undefined, now: string): string {
  const at = new Date(typeof given === 'number' ? given * 1000 : (given ?? Number.NaN))
  if (Number.isNaN(at.getTime())) return now
  const instant = at.toISOString()
  return instant > EARLIEST && instant < plusSeconds(now, 24 * 3600) ? instant : now
}
