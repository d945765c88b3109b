/**
 * Client of Firebase Cloud Messaging, HTTP v1: sends one message to one device. Obtains access tokens by a signed assertion (RFC
 * 7523).
 */
import { sign } from 'node:crypto'
import { z } from 'zod'
import type { Services } from '#kernel/context.ts'
import { wholeText } from '#kernel/outbound/reading.ts'

type Account = NonNullable<Services['config']['FCM_SERVICE_ACCOUNT']>

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const AN_HOUR = 3600
/** Seconds before expiry from which a token isn't used any more. */
const MARGIN = 60
const TIMEOUT = 10_000
const MAX_BYTES = 64 * 1024

const Granted = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() })

interface Access {
  token: Promise<string>
  /** Expiry on the process's monotonic clock, in milliseconds; set once the token has arrived. */
  until: number
}

const granted = new WeakMap<Services, Access>()

/** Concurrent jobs share one request. */
function accessToken(services: Services, account: Account): Promise<string> {
  const known = granted.get(services)
  if (known && performance.now() < known.until) return known.token
  const access: Access = {
    token: ask(services, account).then(({ access_token, expires_in }) => {
      access.until = performance.now() + (expires_in - MARGIN) * 1000
      return access_token
    }),
    until: Infinity,
  }
  access.token.catch(() => forgetAccess(services))
  granted.set(services, access)
  return access.token
}

/** Called when Firebase has rejected the token. */
const forgetAccess = (services: Services) => void granted.delete(services)

/** Errors contain neither the key nor the reply. */
async function ask({ config }: Services, account: Account) {
  const address = config.FCM_TOKEN_URL ?? account.token_uri
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertion(account, address),
  })
  const options = { method: 'POST', body, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT) } as const
  const reply = await fetch(address, options).catch(() => undefined)
  const parsed = Granted.safeParse(await jsonOf(reply))
  if (!reply?.ok || !parsed.success) throw new Error(`No access token for push messages: ${reply?.status ?? 'no answer'}`)
  return parsed.data
}

/** Returns undefined for no reply, an oversized one, and invalid JSON. */
const jsonOf = (reply: Response | undefined): Promise<unknown> =>
  reply
    ? wholeText(reply, MAX_BYTES)
        .then(JSON.parse)
        .catch(() => undefined)
    : Promise.resolve()

/** Uses the real time, because Google validates the claims. */
function assertion({ client_email, private_key, private_key_id }: Account, audience: string) {
  const now = Math.floor(Date.now() / 1000)
  const header = { alg: 'RS256', typ: 'JWT', kid: private_key_id }
  const claims = { iss: client_email, scope: SCOPE, aud: audience, iat: now, exp: now + AN_HOUR }
  const unsigned = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${unsigned}.${sign('RSA-SHA256', Buffer.from(unsigned), private_key).toString('base64url')}`
}

interface PushMessage {
  token: string
  notification: { title: string; body: string }
  /** Firebase accepts only texts. */
  data: Record<string, string>
}

const Refusal = z.object({
  error: z.object({
    details: z
      .array(z.object({ errorCode: z.string().optional(), fieldViolations: z.array(z.object({ field: z.string() })).optional() }))
      .default([]),
  }),
})

/**
 * Sends a message. `gone`: the device is not registered (any more). `skipped`: push isn't configured any more, or for another
 * Firebase project than the device's. Throws where a retry may succeed; errors contain neither the device nor the message.
 */
export async function sendPush(services: Services, message: PushMessage): Promise<'sent' | 'gone' | 'skipped'> {
  const { config } = services
  const account = config.FCM_SERVICE_ACCOUNT
  if (!account) return 'skipped'
  const reply = await fetch(`${config.FCM_API_URL}/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await accessToken(services, account)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
  }).catch(() => undefined)
  if (reply?.ok) return 'sent'
  const refusal = Refusal.safeParse(await jsonOf(reply))
  const details = refusal.success ? refusal.data.error.details : []
  const code = details.find(({ errorCode }) => errorCode)?.errorCode
  if (reply?.status === 404 || code === 'UNREGISTERED') return 'gone'
  if (reply?.status === 400 && code === 'INVALID_ARGUMENT' && blamesDevice(details)) return 'gone'
  if (code === 'SENDER_ID_MISMATCH') return 'skipped'
  if (reply?.status === 401) forgetAccess(services)
  throw new Error(`Firebase refused a push message: ${[reply?.status ?? 'no answer', code].filter(Boolean).join(' ')}`)
}

/** Where Firebase names invalid fields, one must be the token: a fault of the message is no fault of the device. */
function blamesDevice(details: z.output<typeof Refusal>['error']['details']) {
  const fields = details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field))
  return fields.length === 0 || fields.includes('message.token')
}
