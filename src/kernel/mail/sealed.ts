/**
 * Mails that carry a secret: the log has their text masked, and the whole one only encrypted and only until it is delivered. Where
 * no mail server is configured nothing is ever delivered: there the text is kept for a week, as long as any link is good for.
 */

import type { Services } from '../context.ts'
import type { SealedColumn } from '../secrets/secrets.ts'

export const SEALED_SECONDS = 7 * 24 * 3600

const PURPOSE = 'mail'
export const sealedColumns: SealedColumn[] = [{ table: 'email_logs', column: 'sealed', purpose: PURPOSE }]

interface Bodies {
  html: string
  text: string
}

/** The one-time token of a mailed link, and how long the link is good for once it was delivered. */
export interface MailedLink {
  token: string
  seconds: number
}

type Whole = Bodies & { link?: MailedLink }

/** In place of a secret. */
export const MASK = '••••••••'
/** In place of the sealed text once it is gone: the mail did carry a secret. */
export const GONE = Buffer.alloc(0)

/** What is stored of bodies with these secrets in them; as they are when there are none. */
export function seal({ secrets }: Services, { html, text, link }: Whole, others: string[] = []) {
  const hidden = [...others, ...(link ? [link.token] : [])]
  if (!hidden.length) return { body_html: html, body_text: text, sealed: null }
  const masked = (body: string) => hidden.reduce((rest, secret) => rest.replaceAll(secret, MASK), body)
  return {
    body_html: masked(html),
    body_text: masked(text),
    sealed: secrets.encrypt(PURPOSE, JSON.stringify({ html, text, link } satisfies Whole)),
  }
}

/** The bodies with their secrets; undefined when there were none, or when they are gone. */
export const unseal = ({ secrets }: Services, sealed: Buffer | null): Whole | undefined =>
  sealed?.length ? JSON.parse(secrets.decrypt(PURPOSE, sealed)) : undefined
