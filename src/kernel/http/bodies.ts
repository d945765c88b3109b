/** Accepted request bodies, by content type and by the route's declaration. */
import { isUtf8 } from 'node:buffer'
import { errorCodes, type FastifyInstance } from 'fastify'
import { badRequest, HttpError } from '../errors.ts'
import { manyValuesIn } from './bounds.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Stores the body's bytes in `request.bytes`. */
    raw?: boolean
    /** Parses the body according to its content type. */
    parsed?: unknown
    form?: boolean
    /** Errors are rendered as HTML pages. */
    html?: boolean
  }
}

/**
 * Accepts JSON bodies. An empty body counts as none, because clients send the header even without a body. Accepts forms where a
 * route declares them, and any type where a route reads the bytes itself.
 */
export function acceptBodies(app: FastifyInstance) {
  // No schema has `__proto__` or `constructor`: they are removed, as other unknown fields are ignored.
  const json = app.getDefaultJsonParser('remove', 'remove')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    const { raw, parsed, form: takesForms } = request.routeOptions.config
    const bytes = body as Buffer
    if (raw) request.bytes = bytes
    if (!bytes.length || request.is404) return done(null, undefined)
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
    if (parsed && !['', 'identity'].includes(encoding))
      return done(new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is, without Content-Encoding.'))
    const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
    const isJson = type === 'application/json'
    if (parsed && (isJson || (takesForms && type === 'application/x-www-form-urlencoded'))) {
      const wrong = wrongCharset(request.headers['content-type']) ?? (isUtf8(bytes) ? undefined : notUtf8('The body'))
      const refused = wrong ?? (isJson ? manyValuesIn(bytes) : undefined)
      if (refused) return done(refused)
      const text = bytes.toString('utf8')
      if (isJson) return json(request, text, done)
      const form = formOf(text)
      return form ? done(null, form) : done(notUtf8('The body'))
    }
    if (raw) return done(null, undefined)
    done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(type))
  })
}

/** Returns the form's fields; undefined if percent-encoded bytes aren't valid UTF-8. */
function formOf(text: string): Record<string, string> | undefined {
  try {
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch {
    return undefined
  }
  return Object.fromEntries(new URLSearchParams(text))
}

/** Returns 415 for a body that declares another charset than UTF-8: decoding it as UTF-8 would garble the text. */
export function wrongCharset(type = ''): HttpError | undefined {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type) ?? []
  if (/^(utf-?8|us-ascii)$/i.test(charset)) return undefined
  return new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', `Send the body in UTF-8, not in ${charset.slice(0, 40)}.`)
}

/** Character that decoders insert for invalid bytes. */
export const REPLACEMENT = '\ufffd'

export const notUtf8 = (what: string) => badRequest(`${what} must be text in UTF-8.`)
