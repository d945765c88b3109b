/** Access tokens for the service account, by a signed assertion (RFC 7523); one is used until shortly before it ends. */
import { sign } from 'node:crypto'
import { z } from 'zod'
import type { Services } from '#kernel/context.ts'

type Account = NonNullable<Services['config']['FCM_SERVICE_ACCOUNT']>

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const AN_HOUR = 3600
/** Seconds before its end from which a token isn't used any more. */
const MARGIN = 60
const TIMEOUT = 10_000

const Granted = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() })

interface Access {
  token: Promise<string>
  /** Milliseconds; known once the token has come. */
  until: number
}

const granted = new WeakMap<Services, Access>()

/** Jobs that need one at the same time wait for the same question. */
export function accessToken(services: Services, account: Account): Promise<string> {
  const known = granted.get(services)
  if (known && Date.now() < known.until) return known.token
  const access: Access = {
    token: ask(services, account).then(({ access_token, expires_in }) => {
      access.until = Date.now() + (expires_in - MARGIN) * 1000
      return access_token
    }),
    until: Infinity,
  }
  access.token.catch(() => forgetAccess(services))
  granted.set(services, access)
  return access.token
}

/** Firebase refused it. */
export const forgetAccess = (services: Services) => void granted.delete(services)

/** Errors name neither the key nor what was answered. */
async function ask({ config }: Services, account: Account) {
  const address = config.FCM_TOKEN_URL ?? account.token_uri
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertion(account, address),
  })
  const options = { method: 'POST', body, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT) } as const
  const reply = await fetch(address, options).catch(() => undefined)
  const parsed = Granted.safeParse(await reply?.json().catch(() => undefined))
  if (!reply?.ok || !parsed.success) throw new Error(`No access token for push messages: ${reply?.status ?? 'no answer'}`)
  return parsed.data
}

/** The claims go by the real time: Google judges them. */
function assertion({ client_email, private_key, private_key_id }: Account, audience: string) {
  const now = Math.floor(Date.now() / 1000)
  const header = { alg: 'RS256', typ: 'JWT', kid: private_key_id }
  const claims = { iss: client_email, scope: SCOPE, aud: audience, iat: now, exp: now + AN_HOUR }
  const unsigned = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${unsigned}.${sign('RSA-SHA256', Buffer.from(unsigned), private_key).toString('base64url')}`
}
