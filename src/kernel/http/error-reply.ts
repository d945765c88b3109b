/** Error replies: the envelope, or an HTML page for people in a browser. */
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inPublic, originOf, type Services } from '../context.ts'
import { DEFECT, failureOf } from '../database/failures.ts'
import { violationOf } from '../database/violations.ts'
import { HttpError, notFound } from '../errors.ts'
import { type Brand, platformBrand } from '../modules/branding.ts'
import { escapeHtml } from '../values/escape-html.ts'
import { methodGuard } from './methods.ts'
import { page } from './page.ts'

export type ReplyError = (error: FastifyError | HttpError, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Returns the error handler. Unknown errors are defects: logged in full, answered with a generic message. */
export function errorReplies(services: Services): ReplyError {
  const brand = keptBrand(services)
  return async (error, request, reply) => {
    const known = knownOf(error)
    if (known?.status === 413) await swallow(request.raw)
    logError(error, request.log)
    const {
      status,
      code,
      message,
      errors,
      data = null,
      headers = {},
    } = known ?? {
      status: 500,
      code: 'INTERNAL_ERROR',
      message: DEFECT,
    }
    reply.code(status).headers({ 'x-request-id': request.id, ...headers })
    if (!wantsPage(request))
      return reply.send({
        status: 'error',
        message,
        data,
        meta: null,
        code,
        ...(errors ? { errors } : {}),
        request_id: request.id,
      })
    const answer = page({
      title: message,
      brand: await brand(),
      body: `<p>${adviceOf(status)}</p>${status >= 500 ? `<p>Tell whoever runs this service: <code>${escapeHtml(request.id)}</code></p>` : ''}`,
      onward: [{ label: 'Go on to sign in', url: services.config.APP_URL }],
    })
    return reply.headers(answer.headers).send(answer.body)
  }
}

const knownOf = (error: unknown) => (error instanceof HttpError ? error : fromFastify(error as FastifyError))

/** Logs errors that the client didn't cause: defects, and temporary failures of the service. */
export function logError(error: unknown, log: FastifyRequest['log']) {
  const known = knownOf(error)
  if (!known) return log.error({ err: error }, 'defect')
  const { cause } = error as Error
  if (known.status >= 500 && (cause || !(error instanceof HttpError))) log.warn({ err: cause ?? error }, 'not done')
}

/** Whether to answer with a page: routes opened in a browser, and any other request for HTML outside the API. */
const wantsPage = ({ url, headers, routeOptions }: FastifyRequest) =>
  Boolean(routeOptions?.config?.html) || (/\btext\/html\b/.test(headers.accept ?? '') && !url.startsWith('/api/'))

function adviceOf(status: number): string {
  if (status === 404 || status === 410)
    return 'Look at the address once more. If it was sent to you, ask whoever sent it for a new one.'
  if (status === 401 || status === 403) return 'What is here is for others, or for those who have signed in.'
  if (status === 429 || status === 503) return 'Please wait a little, and try again.'
  return status < 500 ? 'Please go back, look at what was entered, and try again.' : 'Please try again later.'
}

const BRAND_MS = 60_000

/**
 * Returns the platform's branding, read at most once a minute, so that requests for unknown paths cost no query. Empty if it
 * can't be read.
 */
function keptBrand(services: Services): () => Promise<Brand> {
  let kept: Promise<Brand> | undefined
  let until = 0
  return () => {
    if (!kept || performance.now() > until) {
      until = performance.now() + BRAND_MS
      kept = inPublic(originOf(services), 'read', platformBrand).catch(() => ({}))
    }
    return kept
  }
}

/** Installs the error handler, the 404 and the 405 reply of this application. Must be registered before the routes. */
export function handleErrors(app: FastifyInstance, replyError: ReplyError) {
  const otherMethods = methodGuard(app)
  app.setErrorHandler(replyError)
  app.setNotFoundHandler((request, reply) =>
    replyError(otherMethods(request) ?? notFound('There is nothing here.'), request, reply),
  )
}

const MAX_SWALLOWED = 128 * 1024 * 1024
const SWALLOW_TIMEOUT_MS = 30_000

/** Reads a rejected body to its end: a client that is still sending would see a broken pipe instead of the reply. */
async function swallow(body: IncomingMessage) {
  if (body.readableEnded || Number(body.headers['content-length'] ?? 0) > MAX_SWALLOWED) return
  let bytes = 0
  body.on('data', (chunk: Buffer) => (bytes += chunk.length) > MAX_SWALLOWED && body.destroy())
  await finished(body, { writable: false, signal: AbortSignal.timeout(SWALLOW_TIMEOUT_MS) }).catch(() => {})
}

function fromFastify(error: FastifyError): HttpError | undefined {
  const { statusCode, code } = error
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413)
    return new HttpError(413, 'PAYLOAD_TOO_LARGE', 'The body is too large.')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || statusCode === 415)
    return new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send application/json, or multipart/form-data where files are taken.')
  if (statusCode === 400 || error instanceof SyntaxError)
    return new HttpError(400, 'BAD_REQUEST', `The request can't be read: ${error.message}`)
  const broken = violationOf(error)?.kind
  if (broken === 'unique')
    return new HttpError(409, 'CONFLICT', 'Somebody else did the same at the same moment. Read again and repeat.')
  if (broken === 'foreign_key')
    return new HttpError(409, 'CONFLICT', 'A record that this one names was deleted at the same moment. Read again and repeat.')
  const failure = failureOf(error)
  if (failure) return failure
  if (statusCode && statusCode < 500) return new HttpError(statusCode, 'BAD_REQUEST', error.message)
  return undefined
}
