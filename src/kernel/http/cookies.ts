/** Cookies of our own: for one path, read by no script, and by https alone where the service is public by it. */
import type { Config } from '../config.ts'

type Base = Pick<Config, 'BASE_URL'>

const isHttps = ({ BASE_URL }: Base) => BASE_URL.startsWith('https:')

/** How a cookie is called. By https so that browsers take it from nowhere else: whoever sits on the network can't plant one. */
export const cookieName = (config: Base, name: string) => (isHttps(config) ? `__Secure-${name}` : name)

interface Reach {
  path: string
  sameSite: 'Lax' | 'Strict'
  /** How long it lasts; 0 ends it. Default: until the browser is closed. */
  seconds?: number
  /** Default: the very host that sets it. */
  domain?: string
}

/** The value of a Set-Cookie header. */
export const setCookie = (config: Base, name: string, value: string, { path, sameSite, seconds, domain }: Reach) =>
  [
    `${cookieName(config, name)}=${value}`,
    `Path=${path}`,
    ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(domain === undefined ? [] : [`Domain=${domain}`]),
    ...(isHttps(config) ? ['Secure'] : []),
  ].join('; ')

/** What a Cookie header holds under a name, in its order: there may be several, of other paths and domains. */
export const cookiesNamed = (header: string | undefined, name: string): string[] =>
  (header ?? '').split(/; */).flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
