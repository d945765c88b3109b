/**
 * Mails with secrets. The log has their masked text; the full text is encrypted and deleted at delivery. Without a mail server
 * nothing is ever delivered, so the text is kept for a week, the longest lifetime of a link.
 */

import type { Services } from '../context.ts'
import type { SealedColumn } from '../secrets/secrets.ts'

/** Time for which encrypted bodies are kept, in seconds. */
export const SEALED_SECONDS = 7 * 24 * 3600

const PURPOSE = 'mail'
/** Encrypted columns, for key rotation. */
export const sealedColumns: SealedColumn[] = [{ table: 'email_logs', column: 'sealed', purpose: PURPOSE }]

interface Bodies {
  html: string
  text: string
}

/** One-time token of a mailed link, and the link's lifetime from the delivery on. */
export interface MailedLink {
  token: string
  seconds: number
}

type Whole = Bodies & { link?: MailedLink }

/** Replacement of a secret. */
export const MASK = '••••••••'
/** Value of a sealed text after its deletion. It records that the mail had a secret. */
export const GONE = Buffer.alloc(0)

/** Returns the stored form of bodies with these secrets; unchanged bodies if there are none. */
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

/** Returns the full bodies; undefined if nothing was sealed or the text is deleted. */
export const unseal = ({ secrets }: Services, sealed: Buffer | null): Whole | undefined =>
  sealed?.length ? JSON.parse(secrets.decrypt(PURPOSE, sealed)) : undefined
