/** The API reference at `/docs`: Scalar, which talks to nobody else's service, under a policy of its own. */
import { createHash } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'

const OPTIONS = {
  routePrefix: '/docs' as const,
  configuration: {
    title: 'Atrium',
    sources: [
      { title: 'Workspace API', slug: 'workspace', url: '/api/tenant/v1/openapi.json' },
      { title: 'Platform API', slug: 'platform', url: '/api/central/v1/openapi.json' },
    ],
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
  } as any,
}

/** An application of its own, made when somebody first looks: Scalar is megabytes of code. */
let reference: Promise<FastifyInstance> | undefined

async function makeReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await app.register(scalar, OPTIONS)
  return app
}

export function apiReference(app: FastifyInstance) {
  for (const url of ['/docs', '/docs/*'])
    app.get(url, async (request, reply) => {
      const { statusCode, headers, rawPayload, payload } = await (await (reference ??= makeReference())).inject(request.url)
      if (statusCode === 404) return reply.callNotFound()
      const { 'content-type': type, location } = headers
      if (location) return reply.redirect(location, statusCode)
      if (type?.toString().startsWith('text/html')) reply.header('content-security-policy', policyOf(payload))
      return reply.code(statusCode).type(String(type)).send(rawPayload)
    })
}

/** Scripts are our own files and the very one in the page, by its hash. Scalar sets styles on elements, which no hash can name. */
function policyOf(markup: string) {
  const [open, close] = ['<script type="text/javascript">', '</script>']
  const start = markup.lastIndexOf(open) + open.length
  const script = markup.slice(start, markup.indexOf(close, start))
  return [
    `default-src 'none'`,
    `script-src 'self' 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data: blob:`,
    `font-src 'self' data:`,
    `connect-src 'self'`,
    `worker-src 'none'`,
    `form-action 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}
