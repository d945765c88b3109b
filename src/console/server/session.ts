/**
 * Session of the console: the API's bearer token in an HttpOnly cookie for the path of its realm. A signature binds it to the
 * realm, so that a workspace's cookie planted at another's address is rejected.
 */
import type { Services } from '#kernel/context.ts'
import { cookieName, cookiesNamed, setCookie } from '#kernel/http/cookies.ts'

/** Realm of a console page: a workspace, or the operator's console. */
export interface Realm {
  api: '/api/tenant/v1' | '/api/central/v1'
  /** Path of its pages; the cookie is limited to it. */
  path: string
}

export const OPERATOR: Realm = { api: '/api/central/v1', path: '/operator' }
export const workspaceRealm = (slug: string): Realm => ({ api: '/api/tenant/v1', path: `/w/${slug}` })

const NAME = 'atrium_session'
/** Cookie of an impersonation. It takes precedence over the user's own session, which is used again afterwards. */
const POSING = 'atrium_posing'
const RECENT = 'atrium_recent'
const PURPOSE = 'console-session'
/** Maximum number of realms in the cookie of recent ones. */
const MAX_RECENT = 8
const YEAR = 365 * 24 * 3600

type Signing = Pick<Services, 'secrets' | 'config'>

const cookie = ({ config }: Signing, name: string, value: string, path: string, seconds?: number) =>
  setCookie(config, name, value, { path, sameSite: 'Lax', seconds })

/** Returns a cookie with a realm's token, for the browser session or for `seconds`. */
export const sessionCookie = (services: Signing, { path }: Realm, token: string, seconds?: number) =>
  cookie(services, NAME, `${token}.${services.secrets.sign(PURPOSE, `${path} ${token}`)}`, path, seconds)

/** Returns the cookie of an impersonation; `from` is the realm where it started. */
export const posingCookie = (services: Signing, { path }: Realm, token: string, from: Realm) =>
  cookie(
    services,
    POSING,
    `${token}.${services.secrets.sign(PURPOSE, `${path} ${token}`)}.${from.path === OPERATOR.path ? 'operator' : 'workspace'}`,
    path,
  )

export const endedCookie = (services: Signing, { path }: Realm, isPosing = false) =>
  cookie(services, isPosing ? POSING : NAME, '', path, 0)

export interface Session {
  token: string
  /** Realm where an impersonation started. */
  posingFrom?: 'operator' | 'workspace'
}

/** Returns the session in the cookies of exactly this realm. */
export function sessionOf({ secrets, config }: Signing, { path }: Realm, header: string | undefined): Session | undefined {
  for (const value of [POSING, NAME].flatMap((name) => cookiesNamed(header, cookieName(config, name)))) {
    const [, token, signature, from] = /^(\d{1,15}\|[\w-]{1,200})\.([\w-]{43})(?:\.(operator|workspace))?$/.exec(value) ?? []
    if (token && secrets.verify(PURPOSE, `${path} ${token}`, signature!))
      return { token, ...(from ? { posingFrom: from as 'operator' } : {}) }
  }
  return undefined
}

/** Returns the cookie of recent realms, newest first. It contains addresses and no secrets. */
export function recentCookie(services: Signing, { path }: Realm, header: string | undefined) {
  const all = [path, ...recentRealms(services, header).filter((one) => one !== path)].slice(0, MAX_RECENT)
  return cookie(services, RECENT, all.map((one) => one.slice(1).replace('/', '.')).join(':'), '/', YEAR)
}

/** Returns the paths of recent realms, newest first. */
export function recentRealms({ config }: Pick<Services, 'config'>, header: string | undefined): string[] {
  const [value = ''] = cookiesNamed(header, cookieName(config, RECENT))
  const paths = value.split(':').map((one) => `/${one.replace('.', '/')}`)
  return [...new Set(paths)].filter((path) => path === OPERATOR.path || /^\/w\/[a-z0-9-]{1,63}$/.test(path)).slice(0, MAX_RECENT)
}
