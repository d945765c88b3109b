/** Which bodies come in, by their types and by what a route takes. */
import { isUtf8 } from 'node:buffer'
import { errorCodes, type FastifyInstance } from 'fastify'
import { badRequest, HttpError } from '../errors.ts'
import { manyValuesIn } from './bounds.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Keeps the body's bytes. */
    raw?: boolean
    /** Parses the body as what its type says. */
    parsed?: unknown
    form?: boolean
    /** Errors are pages. */
    html?: boolean
  }
}

/**
 * JSON bodies; an empty one counts as none, because clients send the header even where there is nothing to say. Forms where a route
 * takes them; any type where a route reads the bytes itself.
 */
export function acceptBodies(app: FastifyInstance) {
  const json = app.getDefaultJsonParser('remove', 'remove') // no schema has such fields: they are passed over as other unknown ones
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

/** Percent signs may hide bytes that are no text either. */
function formOf(text: string): Record<string, string> | undefined {
  try {
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch {
    return undefined
  }
  return Object.fromEntries(new URLSearchParams(text))
}

/** 415 for a body whose type names another encoding than UTF-8: it would be read as something that nobody wrote. */
export function wrongCharset(type = ''): HttpError | undefined {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type) ?? []
  if (/^(utf-?8|us-ascii)$/i.test(charset)) return undefined
  return new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', `Send the body in UTF-8, not in ${charset.slice(0, 40)}.`)
}

/** What decoders write where bytes are no text. */
export const REPLACEMENT = '\ufffd'

export const notUtf8 = (what: string) => badRequest(`${what} must be text in UTF-8.`)
