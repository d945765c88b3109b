/** Builds the HTTP application from the modules. */
import { maxHeaderSize } from 'node:http'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Services } from '#kernel/context.ts'
import { acceptBodies } from '#kernel/http/bodies.ts'
import { MAX_BODY_BYTES, maxBodyBytes } from '#kernel/http/bounds.ts'
import { compressionOf, compressReplies } from '#kernel/http/compression.ts'
import { allowOrigins } from '#kernel/http/cors.ts'
import { sendLinked } from '#kernel/http/download.ts'
import { errorReplies, handleErrors } from '#kernel/http/error-reply.ts'
import { drainConnections } from '#kernel/http/graceful-shutdown.ts'
import { acceptInnerCalls } from '#kernel/http/in-process.ts'
import { limitsIn } from '#kernel/http/limits.ts'
import { maintenanceIn } from '#kernel/http/maintenance.ts'
import { methodsOf } from '#kernel/http/methods.ts'
import { acceptMultipart } from '#kernel/http/multipart.ts'
import { serveInTurn } from '#kernel/http/pipelining.ts'
import { requireMentions } from '#kernel/http/record-routes.ts'
import { serveDocuments } from '#kernel/http/reference.ts'
import { logRequests } from '#kernel/http/request-log.ts'
import { answersPages } from '#kernel/http/route.ts'
import { handlerOf } from '#kernel/http/serve.ts'
import { acceptUpgrades } from '#kernel/http/upgrade.ts'
import { cutUnread, refuseFragments, sendSafetyHeaders, wireOptions } from '#kernel/http/wire.ts'
import { rewritten, serveConsole } from './console/server/console.ts'

/** Creates the application. `realtimeOnly` serves only sockets, health checks and metrics. */
export async function createApp(services: Services, { realtimeOnly = false } = {}): Promise<FastifyInstance> {
  const { config, database, modules, metrics } = services
  const replyError = errorReplies(services)
  const wire = wireOptions(config)
  const app = Fastify({
    loggerInstance: services.log as any,
    bodyLimit: MAX_BODY_BYTES,
    ...wire,
    rewriteUrl: (request) => rewritten(services, request, wire.rewriteUrl(request)),
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    // Node limits an address by the size of all headers. A second limit would reply before the route, which alone knows the
    // format of its errors.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxHeaderSize },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // see graceful-shutdown.ts
    frameworkErrors: replyError,
  })
  const gates = { limits: limitsIn(database), maintenance: maintenanceIn(services) }

  serveInTurn(app)
  await allowOrigins(app, config)
  await compressReplies(app)
  await acceptMultipart(app)
  acceptBodies(app)
  handleErrors(app, replyError)
  sendSafetyHeaders(app, config)
  refuseFragments(app)
  cutUnread(app)
  logRequests(app, services)

  await requireMentions(modules)
  const routes = realtimeOnly ? [] : await modules.routes()
  const methods = methodsOf(routes)
  for (const { module, route, path } of routes) {
    const serve = (server: FastifyInstance) =>
      server.route({
        method: methods(route, path),
        url: path,
        handler: handlerOf(services, gates, module, route),
        exposeHeadRoute: false, // methods() includes it, and the handler answers it
        compress: compressionOf(route),
        bodyLimit: route.spec.maxBytes ?? (route.spec.raw ? MAX_BODY_BYTES : maxBodyBytes(route.spec.body)),
        config: {
          raw: route.spec.raw,
          parsed: !route.spec.raw || route.spec.body,
          form: route.spec.form,
          html: answersPages(route),
        },
      })
    if (!route.spec.rawMultipart) serve(app)
    // Without the multipart parser, the body is read as raw bytes, like any other type.
    else
      await app.register(async (within) => {
        within.removeContentTypeParser('multipart/form-data')
        serve(within)
      })
  }

  acceptInnerCalls(services, app)
  drainConnections(app)
  await acceptUpgrades(app, services)

  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_, reply) => {
    try {
      await database.statement('SELECT 1', [])
      return { status: 'ready' }
    } catch {
      return reply.code(503).send({ status: 'unavailable' })
    }
  })
  app.get('/metrics', (request, reply) => metrics.serve(request, reply))
  if (realtimeOnly) return app

  app.route({ method: ['GET', 'HEAD'], url: '/files/*', handler: (request, reply) => sendLinked(services, request, reply) })

  serveDocuments(app, modules, config.BASE_URL, services.clock)
  serveConsole(app, services)
  return app
}

/** Routes validate and serialise by their own schemas. This keeps Fastify's compilers, which are heavy, from being loaded. */
const noCompiler = () => () => {
  throw new Error('A route has no schema of Fastify: its spec says what it takes and gives.')
}
