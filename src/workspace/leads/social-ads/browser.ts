/**
 * The browser in which a grant was begun, known again by a cookie: a link to the ad platform that somebody else began would connect the
 * account of whoever follows it to that other workspace. Programs that follow the addresses themselves keep no cookies and can't be made to.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { BaseCtx } from '#kernel/context.ts'
import { randomSecret, sameBytes, sha256 } from '#kernel/secrets/secrets.ts'

const NAME = 'atrium_social_ads'

/** A new cookie, and the hash by which `isSameBrowser` knows it. It reaches the service's address, also where the request came to a workspace's name beside or below it. */
export function markBrowser({ request, services }: BaseCtx, seconds: number) {
  const base = new URL(services.config.BASE_URL)
  const asked = request.host.split(':')[0]!.toLowerCase()
  const secret = randomSecret()
  const isIn = (domain: string) => (host: string) => host === domain || host.endsWith(`.${domain}`)
  const domain = [base.hostname, services.config.PLATFORM_DOMAIN.toLowerCase()].find((one) =>
    [asked, base.hostname].every(isIn(one)),
  )
  const cookie = [
    `${NAME}=${secret}`,
    'Path=/api/oauth/leads/social-ads',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Lax', // the platform's page leads back here
    ...(domain && asked !== base.hostname ? [`Domain=${domain}`] : []),
    ...(base.protocol === 'https:' ? ['Secure'] : []),
  ].join('; ')
  return { cookie, hash: hashOf(secret) }
}

/** Whether a request is from the browser that was marked, or from none at all. */
export function isSameBrowser(headers: IncomingHttpHeaders, hash: string) {
  const prefix = `${NAME}=`
  const cookie = headers.cookie?.split('; ').find((one) => one.startsWith(prefix))
  if (cookie === undefined) return !isBrowser(headers)
  return sameBytes(Buffer.from(hashOf(cookie.slice(prefix.length))), Buffer.from(hash))
}

/** No page can keep a browser from sending these. */
const isBrowser = (headers: IncomingHttpHeaders) =>
  headers['sec-fetch-mode'] !== undefined || (headers['user-agent'] ?? '').startsWith('Mozilla/')

const hashOf = (secret: string) => sha256(secret).toString('base64url')
