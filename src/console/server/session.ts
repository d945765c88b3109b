/**
 * The console's session: the bearer of the API in a cookie that no script reads, for the path of its realm alone, and bound to it by a
 * signature, so that a cookie of one workspace planted at another's address opens nothing.
 */
import type { Services } from '#kernel/context.ts'
import { cookieName, cookiesNamed, setCookie } from '#kernel/http/cookies.ts'

/** Who a page of the console is for: the people of a workspace, or the operator's. */
export interface Realm {
  api: '/api/tenant/v1' | '/api/central/v1'
  /** Below it are its pages; its cookie is sent nowhere else. */
  path: string
}

export const OPERATOR: Realm = { api: '/api/central/v1', path: '/operator' }
export const workspaceRealm = (slug: string): Realm => ({ api: '/api/tenant/v1', path: `/w/${slug}` })

const NAME = 'atrium_session'
/** Of whoever works as somebody else. It stands before their own session, which is there again when it ends. */
const POSING = 'atrium_posing'
const RECENT = 'atrium_recent'
const PURPOSE = 'console-session'
/** Realms that a browser remembers to have been in. */
const MAX_RECENT = 8
const YEAR = 365 * 24 * 3600

type Signing = Pick<Services, 'secrets' | 'config'>

const cookie = ({ config }: Signing, name: string, value: string, path: string, seconds?: number) =>
  setCookie(config, name, value, { path, sameSite: 'Lax', seconds })

/** Holds a token for its realm: until the browser is closed, or for `seconds`. */
export const sessionCookie = (services: Signing, { path }: Realm, token: string, seconds?: number) =>
  cookie(services, NAME, `${token}.${services.secrets.sign(PURPOSE, `${path} ${token}`)}`, path, seconds)

/** The same for the token of whoever works as somebody else; `from` is the realm they came from. */
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
  /** Where somebody who works as somebody else came from. */
  posingFrom?: 'operator' | 'workspace'
}

/** The session that the cookies of this very realm hold. */
export function sessionOf({ secrets, config }: Signing, { path }: Realm, header: string | undefined): Session | undefined {
  for (const value of [POSING, NAME].flatMap((name) => cookiesNamed(header, cookieName(config, name)))) {
    const [, token, signature, from] = /^(\d{1,15}\|[\w-]{1,200})\.([\w-]{43})(?:\.(operator|workspace))?$/.exec(value) ?? []
    if (token && secrets.verify(PURPOSE, `${path} ${token}`, signature!))
      return { token, ...(from ? { posingFrom: from as 'operator' } : {}) }
  }
  return undefined
}

/** Remembers where somebody has signed in: addresses, no secret. The last one first. */
export function recentCookie(services: Signing, { path }: Realm, header: string | undefined) {
  const all = [path, ...recentRealms(services, header).filter((one) => one !== path)].slice(0, MAX_RECENT)
  return cookie(services, RECENT, all.map((one) => one.slice(1).replace('/', '.')).join(':'), '/', YEAR)
}

/** Paths of realms in which somebody was, the last one first. */
export function recentRealms({ config }: Pick<Services, 'config'>, header: string | undefined): string[] {
  const [value = ''] = cookiesNamed(header, cookieName(config, RECENT))
  const paths = value.split(':').map((one) => `/${one.replace('.', '/')}`)
  return [...new Set(paths)].filter((path) => path === OPERATOR.path || /^\/w\/[a-z0-9-]{1,63}$/.test(path)).slice(0, MAX_RECENT)
}
