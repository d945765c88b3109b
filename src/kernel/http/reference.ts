/** The API documents, and their reference at `/docs`: Scalar, which talks to nobody else's service, under a policy of its own. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Modules } from '../modules/module.ts'
import { sha256 } from '../secrets/secrets.ts'

const OPTIONS = {
  routePrefix: '/docs' as const,
  configuration: {
    title: 'Atrium',
    pageTitle: 'Atrium API reference',
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

/** Both documents, made once, and the page that shows them. */
export function serveDocuments(app: FastifyInstance, modules: Modules, baseUrl: string) {
  for (const [surface, path] of [
    ['workspace', '/api/tenant/v1/openapi.json'],
    ['platform', '/api/central/v1/openapi.json'],
  ] as const) {
    const document = openApiText(async () => (await import('./openapi.ts')).openApi(modules, surface, baseUrl))
    app.get(path, async (request, reply) => {
      const { text, etag } = await document()
      reply.headers({ etag, 'cache-control': 'no-cache' })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.header('content-type', 'application/json; charset=utf-8').send(text)
    })
  }
  serveReference(app)
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

interface Asset {
  status: number
  headers: Record<string, string>
  location?: string
  body: Buffer
  /** Compressed by brotli, once. */
  compressed: Buffer
}

const compressed = promisify(brotliCompress)

/** What Scalar answers to an address, as it is kept; undefined for what it doesn't have. */
async function readAsset(url: string): Promise<Asset | undefined> {
  const { statusCode: status, headers, rawPayload: body, payload } = await (await (reference ??= makeReference())).inject(url)
  if (status === 404) return undefined
  const type = String(headers['content-type'])
  const isPage = type.startsWith('text/html')
  return {
    status,
    location: headers.location?.toString(),
    body,
    compressed: await compressed(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    headers: {
      'content-type': type,
      etag: `"${sha256(body).toString('base64url')}"`,
      'cache-control': isPage ? 'no-cache' : 'public, max-age=86400', // a day behind an upgrade at most
      ...(isPage ? { 'content-security-policy': policyOf(payload) } : {}),
    },
  }
}

function serveReference(app: FastifyInstance) {
  /** The page and its script: as many as there are, whatever is asked for. */
  const assets = new Map<string, Asset>()
  for (const url of ['/docs', '/docs/*'])
    app.get(url, async (request, reply) => {
      const path = request.url.split('?')[0]!
      const asset = assets.get(path) ?? (await readAsset(path))
      if (!asset) return reply.callNotFound()
      assets.set(path, asset)
      if (asset.location) return reply.redirect(asset.location, asset.status)
      reply.headers({ ...asset.headers, vary: 'Origin, Accept-Encoding' })
      if (request.headers['if-none-match'] === asset.headers.etag) return reply.code(304).send()
      if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return reply.code(asset.status).send(asset.body)
      return reply.code(asset.status).header('content-encoding', 'br').send(asset.compressed)
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
