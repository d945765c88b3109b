/**
 * The console's session: the bearer of the API in a cookie that no script reads, for the path of its realm alone, and bound to it by a
 * signature, so that a cookie of one workspace planted at another's address opens nothing.
 */
import type { Services } from '#kernel/context.ts'

/** Who a page of the console is for: the people of a workspace, or the operator's. */
export interface Realm {
  api: '/api/tenant/v1' | '/api/central/v1'
  /** Below it are its pages; its cookie is sent nowhere else. */
  path: string
}

export const OPERATOR: Realm = { api: '/api/central/v1', path: '/operator' }
export const workspaceRealm = (slug: string): Realm => ({ api: '/api/tenant/v1', path: `/w/${slug}` })

const NAME = 'atrium_session'
const RECENT = 'atrium_recent'
const PURPOSE = 'console-session'
/** Realms that a browser remembers to have been in. */
const MAX_RECENT = 8
const YEAR = 365 * 24 * 3600

type Signing = Pick<Services, 'secrets' | 'config'>

const cookie = ({ config }: Signing, name: string, value: string, path: string, seconds?: number) =>
  [
    `${name}=${value}`,
    `Path=${path}`,
    ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
    'HttpOnly',
    'SameSite=Lax',
    ...(config.BASE_URL.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')

/** Holds a token for its realm: until the browser is closed, or for `seconds`. */
export const sessionCookie = (services: Signing, { path }: Realm, token: string, seconds?: number) =>
  cookie(services, NAME, `${token}.${services.secrets.sign(PURPOSE, `${path} ${token}`)}`, path, seconds)

export const endedCookie = (services: Signing, { path }: Realm) => cookie(services, NAME, '', path, 0)

/** The token that the cookie of this very realm holds. */
export function tokenOf({ secrets }: Pick<Services, 'secrets'>, { path }: Realm, header: string | undefined): string | undefined {
  for (const value of valuesOf(header, NAME)) {
    const [, token, signature] = /^(\d{1,15}\|[\w-]{1,200})\.([\w-]{43})$/.exec(value) ?? []
    if (token && secrets.verify(PURPOSE, `${path} ${token}`, signature!)) return token
  }
  return undefined
}

/** Remembers where somebody has signed in: addresses, no secret. The last one first. */
export function recentCookie(services: Signing, { path }: Realm, header: string | undefined) {
  const all = [path, ...recentRealms(header).filter((one) => one !== path)].slice(0, MAX_RECENT)
  return cookie(services, RECENT, all.map((one) => one.slice(1).replace('/', '.')).join(':'), '/', YEAR)
}

/** Paths of realms in which somebody was, the last one first. */
export function recentRealms(header: string | undefined): string[] {
  const [value = ''] = valuesOf(header, RECENT)
  const paths = value.split(':').map((one) => `/${one.replace('.', '/')}`)
  return [...new Set(paths)].filter((path) => path === OPERATOR.path || /^\/w\/[a-z0-9-]{1,63}$/.test(path)).slice(0, MAX_RECENT)
}

export const valuesOf = (header: string | undefined, name: string): string[] =>
  (header ?? '').split(/; */).flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
