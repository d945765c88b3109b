/** The API reference at `/docs`: Scalar, which talks to nobody else's service, under a policy of its own. */
import { createHash } from 'node:crypto'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'

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

/** A plugin of its own, so that the policy is for these pages alone. */
export async function apiReference(app: FastifyInstance) {
  app.addHook('onSend', async (_, reply, payload) => {
    if (typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html'))
      reply.header('content-security-policy', policyOf(payload))
  })
  await app.register(scalar, OPTIONS)
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
