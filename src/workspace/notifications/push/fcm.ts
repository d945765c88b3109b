/** Firebase Cloud Messaging, HTTP v1: one message to one device. */
import { z } from 'zod'
import type { Services } from '#kernel/context.ts'
import { accessToken, forgetAccess } from './access.ts'

export interface PushMessage {
  token: string
  notification: { title: string; body: string }
  /** Firebase takes texts alone. */
  data: Record<string, string>
}

const TIMEOUT = 10_000

const Refusal = z.object({
  error: z.object({
    details: z
      .array(z.object({ errorCode: z.string().optional(), fieldViolations: z.array(z.object({ field: z.string() })).optional() }))
      .default([]),
  }),
})

/**
 * `gone`: the device is no longer registered, or never was. Throws where another try may do better; errors name neither the device nor
 * what it was told.
 */
export async function sendPush(services: Services, message: PushMessage): Promise<'sent' | 'gone'> {
  const { config } = services
  const account = config.FCM_SERVICE_ACCOUNT
  if (!account) throw new Error('Push messages are not configured')
  const reply = await fetch(`${config.FCM_API_URL}/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await accessToken(services, account)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
  }).catch(() => undefined)
  if (reply?.ok) return 'sent'
  const refusal = Refusal.safeParse(await reply?.json().catch(() => undefined))
  const details = refusal.success ? refusal.data.error.details : []
  const code = details.find(({ errorCode }) => errorCode)?.errorCode
  if (reply?.status === 404 || code === 'UNREGISTERED') return 'gone'
  if (reply?.status === 400 && code === 'INVALID_ARGUMENT' && blamesDevice(details)) return 'gone'
  if (reply?.status === 401) forgetAccess(services)
  throw new Error(`Firebase refused a push message: ${[reply?.status ?? 'no answer', code].filter(Boolean).join(' ')}`)
}

/** Where it says which field is wrong, it must be the token: a fault of the message is no fault of the device. */
function blamesDevice(details: z.output<typeof Refusal>['error']['details']) {
  const fields = details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field))
  return fields.length === 0 || fields.includes('message.token')
}
