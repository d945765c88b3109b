/**
 * Serves the console: its page at all of its addresses, its files, and the session operations that only the server may perform.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Origin, originOf, type Services } from '#kernel/context.ts'
import { forbidden, type HttpError, notFound, unavailable } from '#kernel/errors.ts'
import { callInProcess, type InnerReply } from '#kernel/http/in-process.ts'
import { sendKept } from '#kernel/http/kept.ts'
import type { Method } from '#kernel/http/route.ts'
import type { Page } from '#kernel/modules/screens.ts'
import { apiAddress, isOwnPage, realmOf } from './addresses.ts'
import { type Bundle, bundleOf } from './bundle.ts'
import { ASSETS, accentOf, lookOf, SANDBOX, sendPage } from './page.ts'
import {
  endedCookie,
  OPERATOR,
  posingCookie,
  type Realm,
  recentCookie,
  recentRealms,
  type Session,
  sessionCookie,
  sessionOf,
  workspaceRealm,
} from './session.ts'

/** Maximum size of a sign-in request: a passkey's reply is the largest. */
const MAX_BODY_BYTES = 64 * 1024
/** Maximum size of a reply embedded in the page. */
const MAX_REPLY_BYTES = 4 * 1024 * 1024
/** Maximum total size of embedded replies; larger ones are requested by the page itself. */
const MAX_FIRST_BYTES = 96 * 1024
const MAX_FIRST = 3
const CLIENT = 'Atrium console'
/** Pause after a failed build of the bundle: otherwise each request would start it again. */
const AGAIN_MS = 10_000

export { rewritten } from './addresses.ts'

/** Adds the console's routes. Where the bundle can't be built, its pages return 503 and everything else is still served. */
export function serveConsole(app: FastifyInstance, services: Services) {
  const { config } = services
  let bundle: Promise<Bundle> | undefined
  let failedAt: number | undefined
  const now = () => Date.parse(services.clock.now())
  const stop = new AbortController()
  const bundled = () => {
    if (failedAt !== undefined && now() >= failedAt + AGAIN_MS) bundle = failedAt = undefined
    return (bundle ??= bundleOf(config.DATA_DIR, stop.signal).catch((error) => {
      failedAt = now()
      if (!stop.signal.aborted) services.log.error({ err: error }, 'the console can not be bundled')
      throw unavailable('The console can’t be shown. Its scripts could not be bundled; the log says why.')
    }))
  }
  app.addHook('onListen', async () => void bundled().catch(() => {}))
  app.addHook('onClose', async () => {
    stop.abort()
    await bundle?.catch(() => {}) // nothing is written to DATA_DIR after the service has stopped
  })

  app.get('/', async (request, reply) => {
    const own = await workspaceAt(request)
    if (own) return reply.redirect(`${own.path}/`)
    if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.redirect('/docs')
    const [last] = recentRealms(services, request.headers.cookie)
    return reply.header('vary', 'Accept, Cookie').redirect(last ? `${last}/` : '/sign-in')
  })

  app.get<{ Params: { file: string } }>(`${ASSETS}/:file`, async (request, reply) => {
    const file = (await bundled()).files.get(request.params.file)
    return file ? sendKept(request, reply, file) : reply.callNotFound()
  })

  for (const url of ['/sign-in', '/sign-in/*'])
    app.get(url, async (request, reply) => {
      const made = await bundled()
      const settings = await callApi(services, request, 'GET', '/api/central/v1/public/settings')
      const own = await workspaceAt(request)
      return sendPage(reply, made, config.BASE_URL, {
        ...bootOf(request, settings),
        own,
        recent: recentRealms(services, request.headers.cookie),
      })
    })

  for (const url of ['/w/:slug', '/w/:slug/*', '/operator', '/operator/*'])
    app.get(url, async (request, reply) => {
      const realm = realmOf(request.url)
      if (!realm || isApi(request)) throw refusal(services, request)
      const own = await workspaceAt(request)
      if (own && own.path !== realm.path) throw refusal(services, request)
      const session = sessionOf(services, realm, request.headers.cookie)
      if (!session) return reply.redirect(signInAddress(realm, request.url))
      const { token } = session
      const [, , screenKey = ''] = /^(\/w\/[^/]+|\/operator)\/([a-z0-9-]+)/.exec(request.url) ?? []
      const hasHome = realm !== OPERATOR && /^\/?(\?|$)/.test(request.url.slice(realm.path.length))
      const page = await pageAt(services, realm, screenKey)
      const [made, settings, me, console, screen, asked] = await Promise.all([
        bundled(),
        callApi(services, request, 'GET', '/api/central/v1/public/settings'),
        callApi(services, request, 'GET', `${realm.api}/me`, { token }),
        callApi(services, request, 'GET', `${realm.api}/console`, { token }),
        screenKey
          ? page
            ? undefined
            : callApi(services, request, 'GET', `${realm.api}/console/screens/${screenKey}`, { token })
          : hasHome
            ? callApi(services, request, 'GET', `${realm.api}/console/home`, { token })
            : undefined,
        page?.first ? firstOf(page.first, request, realm, token) : [],
      ])
      if (me.status === 401)
        return reply
          .header('set-cookie', endedCookie(services, realm, session.posingFrom !== undefined))
          .redirect(session.posingFrom ? backAddress(session, request.url) : signInAddress(realm, request.url))
      const shown = screen && dataOf(screen)
      const listed =
        shown && me.status === 200
          ? hasHome
            ? '/dashboard?'
            : firstAsked(request.url.slice(realm.path.length), shown)
          : undefined
      const first = listed ? await firstOf((_, { length }) => (length ? undefined : listed), request, realm, token) : asked
      const drawn = page && made.drawn[`${realm === OPERATOR ? 'platform' : 'workspace'}/${page.module}/${page.drawn}`]
      const more = me.status === 200 ? drawn : []
      return sendPage(reply, { ...made, preload: [...made.preload, ...(more ?? [])] }, config.BASE_URL, {
        ...bootOf(request, settings, dataOf(console)?.workspace?.accent),
        realm,
        development: config.DEVELOPMENT || undefined,
        recent: recentRealms(services, request.headers.cookie),
        me: dataOf(me),
        console: dataOf(console),
        [hasHome ? 'home' : 'screen']: shown,
        first: me.status === 200 ? first : [],
        refused: me.status === 200 ? undefined : envelopeOf(me),
      })
    })

  /** Fetches replies to embed in the page, one after another, until one doesn't fit. */
  async function firstOf(next: NonNullable<Page['first']>, request: FastifyRequest, realm: Realm, token: string) {
    const query = new URLSearchParams(request.url.split('?')[1])
    const came: { asked: string; etag?: unknown; data: any; meta: any }[] = []
    for (let left = MAX_FIRST_BYTES; came.length < MAX_FIRST; ) {
      const asked = next(
        query,
        came.map(({ data }) => data),
      )
      if (!asked) break
      const reply = await callApi(services, request, 'GET', realm.api + asked, { token, maxBytes: left })
      if (reply.status !== 200 || reply.isCut) break
      left -= reply.body.length
      const { data, meta } = envelopeOf(reply)
      came.push({ asked, etag: reply.headers.etag, data, meta })
    }
    return came
  }

  app.post('/w/:slug/sign-out', signOut)
  app.post('/operator/sign-out', signOut)

  for (const url of ['/sign-in/api/*', '/w/:slug/api/*', '/operator/api/*'])
    app.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE'],
      url,
      bodyLimit: MAX_BODY_BYTES,
      config: { raw: true },
      handler: takeToken,
    })

  app.addHook('onSend', async (request, reply) => {
    const type = String(reply.getHeader('content-type') ?? '')
    if (
      request.originalUrl !== request.url &&
      apiAddress(request.originalUrl) &&
      !/^application\/(pdf|(\S+\+)?json)\b/.test(type) &&
      !/(^|;) *sandbox\b/.test(String(reply.getHeader('content-security-policy') ?? ''))
    )
      reply.header('content-security-policy', SANDBOX)
  })

  /**
   * Ends the session at the API, and deletes the cookie regardless of the reply. After impersonation, returns where the user came
   * from.
   */
  async function signOut(request: FastifyRequest, reply: FastifyReply) {
    const realm = realmOf(request.url)
    if (!realm || !isOwnPage(request.raw, config.BASE_URL)) throw refusal(services, request)
    const session = sessionOf(services, realm, request.headers.cookie)
    const path = realm === OPERATOR ? '/me/logout' : '/auth/logout'
    const ended =
      session && (await callApi(services, request, 'POST', `${realm.api}${path}`, { token: session.token, body: '{}' }))
    if (ended && ended.status >= 500) return pass(reply, ended)
    const isPosing = session?.posingFrom !== undefined
    reply.header('set-cookie', endedCookie(services, realm, isPosing))
    return isPosing ? reply.send({ to: backAddress(session, `${realm.path}/`) }) : reply.code(204).send()
  }

  /** Signs in or starts impersonation: stores the token in a cookie and removes it from the reply. */
  async function takeToken(request: FastifyRequest, reply: FastifyReply) {
    const address = apiAddress(request.url)
    if (!address?.answersToken || request.method !== 'POST' || !isOwnPage(request.raw, config.BASE_URL))
      throw refusal(services, request)
    const token = address.realm && sessionOf(services, address.realm, request.headers.cookie)?.token
    const body = request.bytes?.toString('utf8') ?? ''
    const answer = await callApi(services, request, 'POST', address.url, {
      token,
      body,
      language: request.headers['accept-language'],
    })
    const { token: own, target_token, tenant_token, ...data } = dataOf(answer) ?? {}
    const given: unknown = own ?? target_token ?? tenant_token
    if (typeof given !== 'string') return pass(reply, answer)
    const realm = await realmSigned(request, address.url, data, given)
    const kept = askedToRemember(body)
      ? Math.max(1, Math.round((Date.parse(data.expires_at) - Date.parse(services.clock.now())) / 1000))
      : undefined
    const isPosing = own === undefined && address.realm !== undefined
    return reply
      .code(answer.status)
      .header(
        'set-cookie',
        isPosing
          ? posingCookie(services, realm, given, address.realm!)
          : [
              sessionCookie(services, realm, given, kept),
              recentCookie(services, realm, request.headers.cookie),
              endedCookie(services, realm, true),
            ],
      )
      .header('cache-control', 'private, no-store')
      .send({ ...envelopeOf(answer), data: { ...data, to: `${realm.path}/` } })
  }

  /** Returns the workspace whose own host was requested: only that workspace is served there. */
  async function workspaceAt(request: FastifyRequest): Promise<Realm | undefined> {
    if (request.host === new URL(config.BASE_URL).host) return undefined
    const { slug } = dataOf(await callApi(services, request, 'GET', '/api/tenant/v1/console/host')) ?? {}
    return slug && /^[a-z0-9-]{1,63}$/.test(slug) ? workspaceRealm(slug) : undefined
  }

  /** Returns the realm of a new token: the operator's, or the workspace in the reply. */
  async function realmSigned(request: FastifyRequest, url: string, data: any, token: string): Promise<Realm> {
    const isWorkspaces = url.startsWith('/api/tenant/') || /\/impersonate\b/.test(url)
    if (!isWorkspaces) return OPERATOR
    const slug =
      data.workspace?.slug ?? dataOf(await callApi(services, request, 'GET', '/api/tenant/v1/me', { token }))?.workspace?.slug
    if (!slug) throw unavailable('The workspace did not answer.')
    return workspaceRealm(slug)
  }
}

/** Page size of the console's lists. */
const PER_PAGE = '50'
/** Maximum page size of the API. */
const AT_ONCE = 100
const OF_LISTS = ['search', 'sort', 'direction', 'page', 'per_page', 'trashed']

/**
 * Returns the page's first API request, so that its reply can be embedded: the list as filtered by the address, or the record.
 * Must be built exactly as in client/screens, or else the page requests it again.
 */
function firstAsked(address: string, { path, list, record, key_field }: any): string | undefined {
  const url = URL.parse(address, 'http://console')
  const [, id, more] = url?.pathname.split('/').filter(Boolean) ?? []
  if (!url || more) return undefined
  if (id) return record && /^[0-9]+$/.test(id) && key_field === 'id' ? `${record.path.replace(/\{\w+\}/, id)}?` : undefined
  const known = new Set([...OF_LISTS, ...list.filters.map(({ name }: { name: string }) => name)])
  const query = Object.fromEntries([...url.searchParams].filter(([name]) => known.has(name)))
  const sorted: Record<string, string> = list.order && !query.sort ? { sort: list.order.by, direction: list.order.direction } : {}
  if (list.filters.some(({ is_required, name }: { is_required?: true; name: string }) => is_required && !query[name]))
    return undefined
  // A continuous list requests its first hundred rows itself.
  if (list.is_paged && Number(query.per_page) > AT_ONCE) return undefined
  return `${path}?${new URLSearchParams(list.is_paged ? { per_page: PER_PAGE, ...sorted, ...query } : query)}`
}

/** Returns the module's custom page for an address. Permissions are checked by the API requests of the page. */
async function pageAt({ modules }: Services, realm: Realm, key: string): Promise<(Page & { module: string }) | undefined> {
  const surface = realm === OPERATOR ? 'platform' : 'workspace'
  for (const module of modules.all) {
    const pages = module.surface === surface ? (await module.screen?.())?.default.pages : undefined
    if (pages && Object.hasOwn(pages, key)) return { ...pages[key]!, module: module.key }
  }
  return undefined
}

/** Returns the address where the user was before impersonation. */
const backAddress = ({ posingFrom }: Session, url: string) => (posingFrom === 'operator' ? `${OPERATOR.path}/tenants` : url)

const isApi = ({ url }: FastifyRequest) => /^\/(?:w\/[^/]+|operator|sign-in)\/api(?:\/|$)/.test(url)

/** Returns why an API address isn't served here. */
function refusal({ config }: Services, request: FastifyRequest): HttpError {
  if (isOwnPage(request.raw, config.BASE_URL)) return notFound('There is nothing here.')
  return forbidden('Only the console’s own pages do this.')
}

const signInAddress = ({ path }: Realm, url: string) =>
  `/sign-in${path === OPERATOR.path ? '/operator' : ''}?next=${encodeURIComponent(url)}`

function callApi(
  services: Services,
  request: FastifyRequest,
  method: Method,
  url: string,
  {
    token,
    body,
    language,
    maxBytes = MAX_REPLY_BYTES,
  }: { token?: string; body?: string; language?: string; maxBytes?: number } = {},
): Promise<InnerReply> {
  const origin: Origin = {
    ...originOf(services),
    request: {
      id: request.id,
      method,
      url,
      ip: request.ip,
      host: request.host,
      userAgent: request.headers['user-agent'] ?? '',
      client: CLIENT,
    },
  }
  const headers = {
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(language ? { 'accept-language': language } : {}),
  }
  return callInProcess(origin, { method, url, headers, body, client: CLIENT, maxBytes })
}

const envelopeOf = ({ body }: InnerReply) => JSON.parse(body.toString('utf8')) as { data: any; meta: any; message: string }
const dataOf = (reply: InnerReply) => (reply.status < 300 ? envelopeOf(reply).data : undefined)

/** Passes on the API's reply. */
function pass(reply: FastifyReply, { status, headers, body }: InnerReply) {
  for (const name of ['content-type', 'retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'x-request-id'])
    if (headers[name] !== undefined) reply.header(name, headers[name])
  return reply.code(status).header('cache-control', 'private, no-store').send(body)
}

function bootOf(request: FastifyRequest, settings: InnerReply, chosen?: string | null) {
  const platform = dataOf(settings)
  const accent = accentOf(chosen ?? platform?.button_color)
  return { name: String(platform?.app_name ?? 'Atrium'), platform, accent, look: lookOf(request.headers) }
}

function askedToRemember(body: string): boolean {
  try {
    return JSON.parse(body)?.remember === true
  } catch {
    return false
  }
}
