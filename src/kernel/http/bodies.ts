/** Which bodies come in, by their types and by what a route takes. */
import { errorCodes, type FastifyInstance } from 'fastify'
import { HttpError } from '../errors.ts'

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
    const { raw, parsed, form } = request.routeOptions.config
    const bytes = body as Buffer
    if (raw) request.bytes = bytes
    if (!bytes.length || request.is404) return done(null, undefined)
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
    if (parsed && !['', 'identity'].includes(encoding))
      return done(new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is, without Content-Encoding.'))
    const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
    if (parsed && type === 'application/json') return json(request, bytes.toString('utf8'), done)
    if (parsed && form && type === 'application/x-www-form-urlencoded')
      return done(null, Object.fromEntries(new URLSearchParams(bytes.toString('utf8'))))
    if (raw) return done(null, undefined)
    done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(type))
  })
}
