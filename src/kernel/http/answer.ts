/** Replies without the JSON envelope: files, HTML pages, redirects, JSON of other protocols. */
import type { Readable } from 'node:stream'

/**
 * File as a reply. Its content is generated, or read by its storage key, after the transaction has ended, so that no connection
 * waits for it.
 */
export type FileReply = {
  name: string
  type: string
  disposition?: 'attachment' | 'inline'
  headers?: Record<string, string>
} & ({ content(): Promise<Buffer | NodeJS.ReadableStream> | Buffer | NodeJS.ReadableStream } | { key: string })

/** Reply without the envelope. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Buffer | Readable | null
}

/** Returns a redirect: 302 unless another status is given. Not cacheable unless `cache` is given. */
export const redirect = (
  to: string,
  { status = 302, cache = 'private, no-store' }: { status?: number; cache?: string } = {},
): Answer => ({
  status,
  headers: { location: to, 'cache-control': cache },
  body: null,
})

/**
 * Returns an HTML page. Its Content-Security-Policy allows only scripts and styles with the given nonce, and forms that post to
 * this origin or to the origin `formsTo`.
 */
export const html = (
  markup: string,
  { status = 200, nonce, formsTo }: { status?: number; nonce?: string; formsTo?: string } = {},
): Answer => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, no-store',
    'content-security-policy': pagePolicy(nonce, formsTo),
  },
  body: markup,
})

/** Returns JSON without the envelope, for other protocols. */
export const bareJson = (value: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-store' },
  body: JSON.stringify(value),
})

/**
 * Returns the envelope around `data` with extra headers, for a route that declares both `reply` and `answer: 'application/json'`.
 */
export const enveloped = (data: unknown, headers: Record<string, string>): Answer => {
  const answer = bareJson({ status: 'success', message: 'OK', data, meta: null })
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

export const plainText = (text: string, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'private, no-store' },
  body: text,
})

const pagePolicy = (nonce?: string, formsTo?: string) =>
  [
    `default-src 'none'`,
    `img-src 'self' data:`,
    nonce ? `script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'` : `style-src 'none'`,
    `connect-src 'self'`,
    `form-action 'self'${formsTo ? ` ${formsTo}` : ''}`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
