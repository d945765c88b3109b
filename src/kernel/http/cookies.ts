/** Cookies of the service: limited to one path, HttpOnly, and Secure if the public URL is https. */
import type { Config } from '../config.ts'

type Base = Pick<Config, 'BASE_URL'>

const isHttps = ({ BASE_URL }: Base) => BASE_URL.startsWith('https:')

/** Returns the name of a cookie. With https it has the prefix `__Secure-`, so that a network attacker can't plant one. */
export const cookieName = (config: Base, name: string) => (isHttps(config) ? `__Secure-${name}` : name)

interface Reach {
  path: string
  sameSite: 'Lax' | 'Strict'
  /** Lifetime in seconds; 0 deletes the cookie. Default: until the browser is closed. */
  seconds?: number
  /** Default: only the host that sets it. */
  domain?: string
}

/** Returns the value of a Set-Cookie header. */
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

/** Returns all values with this name in a Cookie header, in order: there may be several, of different paths and domains. */
export const cookiesNamed = (header: string | undefined, name: string): string[] =>
  (header ?? '').split(/; */).flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
