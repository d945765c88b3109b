/** Composes the HTTP application from the modules. */
import { type IncomingHttpHeaders, type IncomingMessage, maxHeaderSize } from 'node:http'
import { finished } from 'node:stream/promises'
import multipart from '@fastify/multipart'
import Fastify, {
  errorCodes,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Services } from '#kernel/context.ts'
import { violationOf } from '#kernel/database/violations.ts'
import { HttpError, unavailable } from '#kernel/errors.ts'
import { sendLinked } from '#kernel/http/download.ts'
import { limitsIn } from '#kernel/http/limits.ts'
import { maintenanceIn } from '#kernel/http/maintenance.ts'
import { openApi } from '#kernel/http/openapi.ts'
import { escapeHtml, page } from '#kernel/http/page.ts'
import { apiReference } from '#kernel/http/reference.ts'
import { answersPages } from '#kernel/http/route.ts'
import { handlerOf } from '#kernel/http/serve.ts'
import { takeLeave } from '#kernel/http/stopping.ts'
import { acceptUpgrades } from '#kernel/http/upgrade.ts'
import { wireOptions } from '#kernel/http/wire.ts'

const MEGABYTE = 1024 * 1024

export async function createApp(services: Services): Promise<FastifyInstance> {
  const { config, modules, metrics } = services
  const app = Fastify({
    loggerInstance: services.log as any,
    bodyLimit: MEGABYTE,
    ...wireOptions(config),
    genReqId: requestId,
    logController: new LogController({ disableRequestLogging: true }),
    // Node bounds an address by the size of all headers. A second bound would answer before the route, which alone knows how its errors look.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxHeaderSize },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // see stopping.ts
    frameworkErrors: (error, request, reply) => replyError(error, request as FastifyRequest, reply as FastifyReply),
  })
  const gates = { limits: limitsIn(services.database), maintenance: maintenanceIn(services) }

  await app.register(multipart) // its limits are given with each reading
  acceptBodies(app)
  app.setErrorHandler(replyError)
  app.setNotFoundHandler((request, reply) =>
    replyError(new HttpError(404, 'NOT_FOUND', 'There is nothing here.') as never, request, reply),
  )

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    })
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'private, no-store')
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    metrics.observe(request.method, route, reply.statusCode, reply.elapsedTime)
    request.log.info(
      {
        method: request.method,
        route, // its pattern: a path may hold a secret
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    )
  })

  for (const { module, route, path } of await modules.routes())
    app.route({
      method: route.spec.file ? [route.method, 'HEAD'] : route.method,
      url: path,
      handler: handlerOf(services, gates, module, route),
      exposeHeadRoute: route.spec.answer !== undefined,
      config: {
        raw: route.spec.raw,
        parsed: !route.spec.raw || route.spec.body,
        form: route.spec.form,
        html: answersPages(route),
      },
    })

  takeLeave(app)
  await acceptUpgrades(app, services)

  app.get('/', async (_, reply) => reply.redirect('/docs'))
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_, reply) => {
    try {
      await services.database.statement('SELECT 1', [])
      return { status: 'ready' }
    } catch {
      return reply.code(503).send({ status: 'unavailable' })
    }
  })
  app.get('/metrics', (request, reply) => metrics.serve(request, reply))
  app.route({ method: ['GET', 'HEAD'], url: '/files/*', handler: (request, reply) => sendLinked(services, request, reply) })

  for (const [surface, path] of [
    ['workspace', '/api/tenant/v1/openapi.json'],
    ['platform', '/api/central/v1/openapi.json'],
  ] as const) {
    let document: ReturnType<typeof openApi> | undefined
    app.get(path, async () => (document ??= openApi(modules, surface, config.BASE_URL)))
  }
  await app.register(apiReference)
  return app
}

/** The client's own id for its request, where it is a sensible one. */
function requestId({ headers }: { headers: IncomingHttpHeaders }) {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : crypto.randomUUID()
}

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
function acceptBodies(app: FastifyInstance) {
  const json = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    const { raw, parsed, form } = request.routeOptions.config
    const bytes = body as Buffer
    if (raw) request.bytes = bytes
    if (!bytes.length || request.is404) return done(null, undefined)
    const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
    if (parsed && type === 'application/json') return json(request, bytes.toString('utf8'), done)
    if (parsed && form && type === 'application/x-www-form-urlencoded')
      return done(null, Object.fromEntries(new URLSearchParams(bytes.toString('utf8'))))
    if (raw) return done(null, undefined)
    done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(type))
  })
}

/** Errors keep the envelope. What isn't an error for the client is a defect: logged whole, told as nothing. */
async function replyError(error: FastifyError | HttpError, request: FastifyRequest, reply: FastifyReply) {
  const known = error instanceof HttpError ? error : fromFastify(error)
  if (known?.status === 413) await swallow(request.raw)
  if (!known) request.log.error({ err: error }, 'defect')
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

const MOST_SWALLOWED = 128 * MEGABYTE
const PATIENCE = 30_000

/** Reads on to the end of a body that is refused: a client that is still sending would see a broken pipe instead of the reply. */
async function swallow(body: IncomingMessage) {
  if (body.readableEnded || Number(body.headers['content-length'] ?? 0) > MOST_SWALLOWED) return
  let bytes = 0
  body.on('data', (chunk: Buffer) => (bytes += chunk.length) > MOST_SWALLOWED && body.destroy())
  await finished(body, { writable: false, signal: AbortSignal.timeout(PATIENCE) }).catch(() => {})
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
  if (UNREACHABLE.has(code)) return unavailable('The database cannot be reached at the moment. Try again soon.')
  if (statusCode && statusCode < 500) return new HttpError(statusCode, 'BAD_REQUEST', error.message)
  return undefined
}

/** The wire to the database is cut, or the database is starting or stopping. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  '08006',
  '08001',
  '53300',
])
