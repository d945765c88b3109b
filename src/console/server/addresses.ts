/** Addresses of the console: below a realm's pages its API is served, with the session in the realm's cookie. */
import type { IncomingMessage } from 'node:http'
import type { Services } from '#kernel/context.ts'
import { OPERATOR, type Realm, sessionOf, workspaceRealm } from './session.ts'

/** `/sign-in` reaches both APIs without a session. */
const ADDRESS = /^(\/w\/([a-z0-9-]{1,63})|\/operator|\/sign-in)(\/api\/(?:tenant|central)\/v1)(\/[^?]*)(\?.*)?$/

/** Operations that return a session token, which scripts must not see: the console's own routes remove it from the reply. */
const ANSWERS_TOKEN =
  /^\/(auth\/(login|two-factor\/challenge|passkeys\/login|accept-invite)|tenants\/[^/]+\/impersonate|users\/[^/]+\/impersonate)\/?$/i

export interface ApiAddress {
  /** Undefined for the pages before sign-in. */
  realm?: Realm
  /** Path of the API, with the query. */
  url: string
  answersToken: boolean
}

export const realmOf = (path: string): Realm | undefined => {
  const [, slug] = /^\/w\/([a-z0-9-]{1,63})(?:[/?]|$)/.exec(path) ?? []
  return slug ? workspaceRealm(slug) : /^\/operator(?:[/?]|$)/.test(path) ? OPERATOR : undefined
}

/**
 * Returns the API operation of an address below a realm. Undefined for a page, another API than the realm's, and path traversal.
 */
export function apiAddress(url: string): ApiAddress | undefined {
  const [, at = '', slug, api, path = '', query = ''] = ADDRESS.exec(url) ?? []
  if (!api || climbs(path)) return undefined
  const realm = slug ? workspaceRealm(slug) : at === OPERATOR.path ? OPERATOR : undefined
  if (realm && realm.api !== api) return undefined
  return { realm, url: `${api}${path}${query}`, answersToken: ANSWERS_TOKEN.test(decoded(path)) }
}

/**
 * Detects dot segments that a proxy or server might resolve, plain or encoded once or twice, and characters that some treat as a
 * slash.
 */
const climbs = (path: string) =>
  /(^|[/\\])\.{1,2}([/\\]|$)|\\|\/\/|[\0-\x20]/.test(decoded(decoded(path))) || /%2f|%5c|%00/i.test(path)

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return '..' // undecodable paths are rejected
  }
}

/**
 * Returns whether the console's own page sent a request. Browsers send `Sec-Fetch-Site` over https and on localhost, otherwise
 * `Origin`. A mutation with neither is rejected.
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
 * Returns the address for the router. An API request of the console's own page is rewritten to the API, with the cookie's token
 * and no other credentials. Other requests stay unchanged, and the console's routes reject them.
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
