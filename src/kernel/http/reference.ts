/**
 * Serves the API documents and their reference at `/docs`: Scalar, without requests to other services, under its own
 * Content-Security-Policy.
 */
import { createHash } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Modules } from '../modules/module.ts'
import { type Clock, dateIn } from '../values/time.ts'
import { withExamplesAsOf } from './example-dates.ts'
import { type Kept, kept, sendKept } from './kept.ts'

/** Overrides of Scalar's colours that lack contrast on its backgrounds (WCAG 2.2, 1.4.3). */
const COLOURS = `
.light-mode { --scalar-color-2: #575757; --scalar-color-3: #666666; --scalar-color-green: #00693f; --scalar-color-blue: #00609c; --scalar-color-red: #b80000; --scalar-color-orange: #a33a00 }
.dark-mode { --scalar-color-2: #b8b8b8; --scalar-color-3: #a8a8a8; --scalar-color-red: #ff7a7a }`

/** Accessibility fixes for Scalar: makes scrolling lists focusable, and gives copy buttons a name. */
const ACCESSIBLE = `
let waits = false
new MutationObserver(() => {
  if (waits) return
  waits = true
  setTimeout(() => {
    waits = false
    for (const list of document.querySelectorAll('.endpoints:not([tabindex])')) list.tabIndex = 0
    for (const button of document.querySelectorAll('.scalar-code-copy:not([aria-label])')) button.setAttribute('aria-label', 'Copy')
  }, 200)
}).observe(document.body, { childList: true, subtree: true })
`

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
    // Serialised into the page. Requests from the reference get a 422 for misspelt parameters (docs/api-conventions.md).
    onBeforeRequest: ({ requestBuilder }: any) => requestBuilder.headers.set('Prefer', 'handling=strict'),
    customCss: COLOURS,
  } as any,
}

/** Shown until Scalar's script has loaded, and if it fails to load. It is outside `#app`, whose content would be hydrated. */
const FIRST_PAINT = `<style>#app:not(:empty) + main { display: none }</style>
    <div id="app"></div>
    <main style="font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem">
      <h1>Atrium API reference</h1>
      <p>The reference is on its way. What it shows stands in two OpenAPI documents, for whatever reads these:</p>
      <ul>${OPTIONS.configuration.sources.map(({ title, url }: { title: string; url: string }) => `<li><a href="${url}">${title}</a></li>`).join('')}</ul>
    </main>`

/** Separate application, created on first use: Scalar is megabytes of code. */
let reference: Promise<FastifyInstance> | undefined

async function makeReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await app.register(scalar, OPTIONS)
  return app
}

/** Serves both documents, each generated once with examples relative to the current day, and the page that shows them. */
export function serveDocuments(app: FastifyInstance, modules: Modules, baseUrl: string, clock: Clock) {
  for (const [surface, path] of [
    ['workspace', '/api/tenant/v1/openapi.json'],
    ['platform', '/api/central/v1/openapi.json'],
  ] as const) {
    let text: Promise<string> | undefined
    let current: { day: string; reply: Promise<Kept> } | undefined
    app.get(path, async (request, reply) => {
      const day = dateIn('UTC', clock.now())
      text ??= makeDocument(modules, surface, baseUrl)
      if (current?.day !== day) current = { day, reply: text.then((document) => compressDocument(document, day)) }
      return sendKept(request, reply, await current.reply)
    })
  }
  serveReference(app)
}

async function makeDocument(modules: Modules, surface: 'workspace' | 'platform', baseUrl: string): Promise<string> {
  const { openApi } = await import('./openapi.ts')
  return JSON.stringify(await openApi(modules, surface, baseUrl))
}

const compressDocument = (document: string, day: string): Promise<Kept> =>
  kept(Buffer.from(JSON.stringify(withExamplesAsOf(JSON.parse(document), day))), 'application/json; charset=utf-8', {
    'cache-control': 'no-cache',
  })

type Asset = Kept | { location: string } | undefined

/** Fetches an asset of Scalar: a page, its script, or a redirect. */
async function readAsset(url: string): Promise<Asset> {
  const { statusCode, headers, rawPayload, payload } = await (await (reference ??= makeReference())).inject(url)
  if (statusCode === 404) return undefined
  if (headers.location) return { location: String(headers.location) }
  const type = String(headers['content-type'])
  const isPage = type.startsWith('text/html')
  const page = isPage ? withFirstPaint(accessible(payload)) : ''
  return kept(isPage ? Buffer.from(page) : rawPayload, type, {
    'cache-control': isPage ? 'no-cache' : 'public, max-age=86400', // outdated for at most a day after an upgrade
    ...(isPage ? { 'content-security-policy': policyOf(page) } : {}),
  })
}

const withFirstPaint = (markup: string) => markup.replace('<div id="app"></div>', FIRST_PAINT)

function accessible(markup: string) {
  const end = markup.lastIndexOf('</script>')
  return `${markup.slice(0, end)}${ACCESSIBLE}${markup.slice(end)}`.replace('<html>', '<html lang="en">')
}

function serveReference(app: FastifyInstance) {
  /** At most as many as Scalar has, because unknown paths are removed. Concurrent requests share a promise. */
  const assets = new Map<string, Promise<Asset>>()
  for (const url of ['/docs', '/docs/*'])
    app.get(url, async (request, reply) => {
      const path = request.url.split('?')[0]!
      const asset = await assets.getOrInsertComputed(path, readAsset)
      if (asset && !('location' in asset)) return sendKept(request, reply, asset)
      assets.delete(path)
      return asset ? reply.redirect(asset.location, 301) : reply.callNotFound()
    })
}

/**
 * Allows our own script files and, by its hash, the inline script of the page. Scalar sets inline styles, which a hash can't
 * cover.
 */
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
