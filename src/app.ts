/** Composes the HTTP application from the modules. */
import { type IncomingHttpHeaders, maxHeaderSize } from 'node:http'
import multipart from '@fastify/multipart'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Services } from '#kernel/context.ts'
import { HttpError } from '#kernel/errors.ts'
import { acceptBodies } from '#kernel/http/bodies.ts'
import { MAX_BODY_BYTES, maxBodyBytes } from '#kernel/http/bounds.ts'
import { sendLinked } from '#kernel/http/download.ts'
import { replyError } from '#kernel/http/error-reply.ts'
import { drainConnections } from '#kernel/http/graceful-shutdown.ts'
import { limitsIn } from '#kernel/http/limits.ts'
import { maintenanceIn } from '#kernel/http/maintenance.ts'
import { serveInTurn } from '#kernel/http/pipelining.ts'
import { apiReference } from '#kernel/http/reference.ts'
import { logRequests } from '#kernel/http/request-log.ts'
import { answersPages } from '#kernel/http/route.ts'
import { handlerOf } from '#kernel/http/serve.ts'
import { acceptUpgrades } from '#kernel/http/upgrade.ts'
import { wireOptions } from '#kernel/http/wire.ts'
import { requireMentions } from '#kernel/records/notes.ts'
import { sha256 } from '#kernel/secrets/secrets.ts'

export async function createApp(services: Services): Promise<FastifyInstance> {
  const { config, modules, metrics } = services
  const app = Fastify({
    loggerInstance: services.log as any,
    bodyLimit: MAX_BODY_BYTES,
    ...wireOptions(config),
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    genReqId: requestId,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    // Node bounds an address by the size of all headers. A second bound would answer before the route, which alone knows how its errors look.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxHeaderSize },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // see graceful-shutdown.ts
    frameworkErrors: (error, request, reply) => replyError(error, request as FastifyRequest, reply as FastifyReply),
  })
  const gates = { limits: limitsIn(services.database), maintenance: maintenanceIn(services) }

  serveInTurn(app)
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
  logRequests(app, metrics)

  await requireMentions(modules)
  for (const { module, route, path } of await modules.routes())
    app.route({
      method: route.spec.file ? [route.method, 'HEAD'] : route.method,
      url: path,
      handler: handlerOf(services, gates, module, route),
      exposeHeadRoute: route.spec.answer !== undefined,
      bodyLimit: route.spec.maxBytes ?? (route.spec.raw ? MAX_BODY_BYTES : maxBodyBytes(route.spec.body)),
      config: {
        raw: route.spec.raw,
        parsed: !route.spec.raw || route.spec.body,
        form: route.spec.form,
        html: answersPages(route),
      },
    })

  drainConnections(app)
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
    const document = openApiText(async () => (await import('#kernel/http/openapi.ts')).openApi(modules, surface, config.BASE_URL))
    app.get(path, async (request, reply) => {
      const { text, etag } = await document()
      reply.headers({ etag, 'cache-control': 'no-cache' })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.header('content-type', 'application/json; charset=utf-8').send(text)
    })
  }
  apiReference(app)
  return app
}

/** Routes check and write by their own schemas: Fastify's compilers, which are heavy, stay unloaded. */
const noCompiler = () => () => {
  throw new Error('A route has no schema of Fastify: its spec says what it takes and gives.')
}

/** An API document as bytes, made once: it is large, and anybody may ask for it. */
function openApiText(make: () => Promise<unknown> | unknown) {
  let made: Promise<{ text: Buffer; etag: string }> | undefined
  return () =>
    (made ??= (async () => {
      const text = Buffer.from(JSON.stringify(await make()))
      return { text, etag: `"${sha256(text).toString('base64url')}"` }
    })())
}

/** The client's own id for its request, where it is a sensible one. */
function requestId({ headers }: { headers: IncomingHttpHeaders }) {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : crypto.randomUUID()
}
