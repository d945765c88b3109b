/** Receives events of all mail providers: verifies the sender, then records the events in the e-mail log. */
import type { IncomingHttpHeaders } from 'node:http'
import type { PublicCtx, PublicSteps } from '#kernel/context.ts'
import { HttpError, notFound } from '#kernel/errors.ts'
import { idempotencyOf, once } from '#kernel/http/idempotency.ts'
import { recordMailEvents } from '#kernel/mail/events.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import { readPlatformSettings } from '#kernel/modules/platform-settings.ts'
import { sha256 } from '#kernel/secrets/secrets.ts'
import { generic } from './generic.ts'
import { mailgun } from './mailgun.ts'
import { postmark } from './postmark.ts'
import type { Reader } from './reading.ts'
import { ses } from './ses.ts'

const readers: Record<string, Reader> = { postmark, mailgun, ses, generic }

/** Request of a provider. */
export interface Request {
  headers: IncomingHttpHeaders
  query: Record<string, unknown>
  raw: Buffer
}

/** Maximum size of a body. No provider sends larger ones. */
const MAX_BYTES = 256 * 1024

/**
 * Receives a provider's events, limited to one workspace if it is named. 401 if the sender can't be verified. Events of unknown
 * mails get the same reply.
 */
export async function receive(steps: PublicSteps, provider: string, { headers, query, raw }: Request, named?: string) {
  const reader = Object.hasOwn(readers, provider) ? readers[provider]! : undefined
  if (!reader) throw notFound('There is no such provider.')
  if (raw.length > MAX_BYTES) throw new HttpError(413, 'PAYLOAD_TOO_LARGE', 'The body is too large.')
  const settings = await steps.read((ctx) =>
    readPlatformSettings(ctx, ['mail_webhook_secret', 'mail_webhook_events', 'ses_topic_arn']),
  )
  const { events, token } = await reader({
    headers,
    query,
    raw,
    now: steps.now,
    secret: settings.mail_webhook_secret,
    topic: settings.ses_topic_arn,
    snsUrl: steps.services.config.SNS_URL,
  })
  const kept = events.filter(({ type }) => settings.mail_webhook_events.includes(type))
  const record = async (ctx: PublicCtx) => {
    const tenantId = named === undefined ? undefined : await tenantOf(ctx, named)
    if (tenantId !== null) await recordMailEvents(ctx, kept, { send: sendMail, tenantId })
  }
  await steps.finish(async (ctx) => {
    if (!token) return record(ctx)
    const scope = { actor: provider, method: 'POST', path: 'webhook', body: sha256(raw).toString('hex') }
    await once(ctx, idempotencyOf(steps.services.secrets, token, scope)!, async () => {
      await record(ctx)
      return { status: 200, payload: '' }
    })
  })
}

/** Finds a workspace by id, else by slug; null if it doesn't exist. */
async function tenantOf(ctx: PublicCtx, named: string): Promise<number | null> {
  const live = ctx.tx.selectFrom('tenants').select('id').where('deleted_at', 'is', null)
  const found = /^\d{1,15}$/.test(named) ? live.where('id', '=', Number(named)) : live.where('slug', '=', named.toLowerCase())
  return (await found.executeTakeFirst())?.id ?? null
}
