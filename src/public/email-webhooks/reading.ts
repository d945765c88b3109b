/** What a webhook of a provider is given, what it makes of it, and the readers that all of them share. */
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { badRequest, unauthenticated } from '#kernel/errors.ts'
import { parse } from '#kernel/http/input.ts'
import type { MailEvent } from '#kernel/mail/mail-event.ts'
import { sameBytes, sha256 } from '#kernel/secrets/secrets.ts'
import { plusSeconds } from '#kernel/values/time.ts'

/** A request of a provider, and what it is judged by. */
export interface ProviderEvent {
  headers: IncomingHttpHeaders
  query: Record<string, unknown>
  raw: Buffer
  now: string
  /** `mail_webhook_secret`. */
  secret: string | null
  /** The SNS topic that is ours. */
  topic: string | null
  /** Stands in for the addresses of SNS. */
  snsUrl: string | undefined
}

/** Judges who tells (401), then reads what. `token`: this message is good once, with this body. */
export type Reader = (told: ProviderEvent) => Promise<{ events: MailEvent[]; token?: string }>

/** The body as JSON of this shape; 400 and 422 otherwise. */
export function bodyOf<S extends z.core.$ZodType>(schema: S, raw: Buffer): z.output<S> {
  let value: unknown
  try {
    value = JSON.parse(raw.toString('utf8'))
  } catch {
    throw badRequest('The body is no JSON.')
  }
  return parse(schema, value)
}

/** Without a secret nobody can prove anything: 401. */
export function secretOf({ secret }: ProviderEvent): string {
  if (!secret) throw unauthenticated('This webhook is not configured.')
  return secret
}

/** Compared in a time that tells nothing, not even the length. */
export const isSecret = (given: unknown, secret: string) => typeof given === 'string' && sameBytes(sha256(given), sha256(secret))

/** A text that may be missing, of another type, or longer than we keep. */
export const words = (max = 1000) =>
  z
    .string()
    .transform((text) => text.slice(0, max).toWellFormed() || null)
    .nullish()
    .transform((text) => text ?? null)
    .catch(null)

/** An address as we keep it. */
export const recipient = () => words(254).transform((text) => text?.trim().toLowerCase() ?? null)

const EARLIEST = '2000-01-01T00:00:00.000Z'

/** The instant that a provider names, by text or by seconds; the present one for what can't be. */
export function instantOf(given: string | number | null | undefined, now: string): string {
  const at = new Date(typeof given === 'number' ? given * 1000 : (given ?? Number.NaN))
  if (Number.isNaN(at.getTime())) return now
  const instant = at.toISOString()
  return instant > EARLIEST && instant < plusSeconds(now, 24 * 3600) ? instant : now
}
