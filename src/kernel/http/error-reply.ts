/** What a client is told of an error: the envelope, or a page where people look at the answer. */
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { failureOf } from '../database/failures.ts'
import { violationOf } from '../database/violations.ts'
import { HttpError, notFound } from '../errors.ts'
import { escapeHtml } from '../values/escape-html.ts'
import { methodGuard } from './methods.ts'
import { page } from './page.ts'

/** Errors keep the envelope. What isn't an error for the client is a defect: logged whole, told as nothing. */
export async function replyError(error: FastifyError | HttpError, request: FastifyRequest, reply: FastifyReply) {
  const known = error instanceof HttpError ? error : fromFastify(error)
  if (known?.status === 413) await swallow(request.raw)
  if (!known) request.log.error({ err: error }, 'defect')
  else if (!(error instanceof HttpError) && known.status >= 500) request.log.warn({ err: error }, 'not done')
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
    message: 'Something went wrong on our side. It has been logged.',
  }
  reply.code(status).headers({ 'x-request-id': request.id, ...headers })
  if (request.routeOptions?.config?.html) {
    const answer = page({ title: message, body: `<p>${escapeHtml(code)}</p>` })
    return reply.headers(answer.headers).send(answer.body)
  }
  return reply.send({ status: 'error', message, data, meta: null, code, ...(errors ? { errors } : {}), request_id: request.id })
}

/** Every error of this application is told so, what there is not, and methods that a path doesn't have. Stands before the routes. */
export function handleErrors(app: FastifyInstance) {
  const otherMethods = methodGuard(app)
  app.setErrorHandler(replyError)
  app.setNotFoundHandler((request, reply) =>
    replyError(otherMethods(request) ?? notFound('There is nothing here.'), request, reply),
  )
}

const MAX_SWALLOWED = 128 * 1024 * 1024
const SWALLOW_TIMEOUT_MS = 30_000

/** Reads on to the end of a body that is refused: a client that is still sending would see a broken pipe instead of the reply. */
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
