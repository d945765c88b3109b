/** What an address of the console means: below a realm's pages its API answers, by the session of the realm's cookie. */
import type { IncomingMessage } from 'node:http'
import type { Services } from '#kernel/context.ts'
import { OPERATOR, type Realm, sessionOf, workspaceRealm } from './session.ts'

/** `/sign-in` reaches both APIs, as nobody. */
const ADDRESS = /^(\/w\/([a-z0-9-]{1,63})|\/operator|\/sign-in)(\/api\/(?:tenant|central)\/v1)(\/[^?]*)(\?.*)?$/

/** Operations that answer a session's token, which no script may see: routes of the console take it out of the reply. */
const ANSWERS_TOKEN =
  /^\/(auth\/(login|two-factor\/challenge|passkeys\/login|accept-invite)|tenants\/[^/]+\/impersonate|users\/[^/]+\/impersonate)\/?$/i

export interface ApiAddress {
  /** None: of the pages before signing in. */
  realm?: Realm
  /** Path of the API, with the query. */
  url: string
  answersToken: boolean
}

export const realmOf = (path: string): Realm | undefined => {
  const [, slug] = /^\/w\/([a-z0-9-]{1,63})(?:[/?]|$)/.exec(path) ?? []
  return slug ? workspaceRealm(slug) : /^\/operator(?:[/?]|$)/.test(path) ? OPERATOR : undefined
}

/** The operation of an API that an address below a realm means; undefined for a page, another API than the realm's, and whatever tries to climb out. */
export function apiAddress(url: string): ApiAddress | undefined {
  const [, at = '', slug, api, path = '', query = ''] = ADDRESS.exec(url) ?? []
  if (!api || climbs(path)) return undefined
  const realm = slug ? workspaceRealm(slug) : at === OPERATOR.path ? OPERATOR : undefined
  if (realm && realm.api !== api) return undefined
  return { realm, url: `${api}${path}${query}`, answersToken: ANSWERS_TOKEN.test(decoded(path)) }
}

/** Dots that a server behind or before us might follow upwards, written plainly or encoded, once or twice; and what some take for a slash. */
const climbs = (path: string) =>
  /(^|[/\\])\.{1,2}([/\\]|$)|\\|\/\/|[\0-\x20]/.test(decoded(decoded(path))) || /%2f|%5c|%00/i.test(path)

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return '..' // what can't be read leads nowhere
  }
}

/**
 * Whether a page of our own sends a request. Browsers say so in `Sec-Fetch-Site` over https and on this machine, elsewhere by `Origin`; a request
 * that changes something and says neither is refused.
 */
export function isOwnPage({ method = '', headers }: Pick<IncomingMessage, 'method' | 'headers'>, baseUrl: string): boolean {
  const isSafe = /^(GET|HEAD|OPTIONS)$/.test(method)
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || (isSafe && site === 'none')
  const { origin } = headers
  if (origin === undefined) return isSafe
  return origin === new URL(baseUrl).origin || origin === `http://${headers.host}` || origin === `https://${headers.host}`
}

/**
 * Where a request goes, for the router: one of the console's own page for the API goes there with the cookie's token and nothing else that
 * says who asks. Others stay where they are, for the console's routes to refuse.
 */
export function rewritten(services: Pick<Services, 'secrets' | 'config'>, request: IncomingMessage, url: string): string {
  const address = apiAddress(url)
  if (!address || address.answersToken || !isOwnPage(request, services.config.BASE_URL)) return url
  const { headers } = request
  const token = address.realm && sessionOf(services, address.realm, headers.cookie)?.token
  for (const name of ['authorization', 'cookie', 'x-workspace']) delete headers[name]
  if (token) headers.authorization = `Bearer ${token}`
  return address.url
}
