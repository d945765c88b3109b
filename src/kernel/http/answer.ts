/** Replies that are not the envelope: files, pages, redirects, another protocol's body. */
import type { Readable } from 'node:stream'

/** A file as a reply. The content is made, or read by its storage key, after the transaction has ended: no connection waits for it. */
export type FileReply = {
  name: string
  type: string
  disposition?: 'attachment' | 'inline'
  headers?: Record<string, string>
} & ({ content(): Promise<Buffer | NodeJS.ReadableStream> | Buffer | NodeJS.ReadableStream } | { key: string })

/** A reply with nothing around it. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Buffer | Readable | null
}

/** 302 unless another status is given; caches keep it only where `cache` says so. */
export const redirect = (
  to: string,
  { status = 302, cache = 'private, no-store' }: { status?: number; cache?: string } = {},
): Answer => ({
  status,
  headers: { location: to, 'cache-control': cache },
  body: null,
})

/** A page. Its policy forbids every script and style but those that carry its nonce, and forms that lead elsewhere than to us or `formsTo`, an origin. */
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

/** JSON as another protocol has it. */
export const bareJson = (value: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-store' },
  body: JSON.stringify(value),
})

/** The envelope around `data`, for a route whose reply has headers of its own: a `reply` beside `answer: 'application/json'`. */
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
