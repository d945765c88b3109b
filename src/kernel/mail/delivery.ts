/** Delivers logged mails: from the queue, with rate limits and retries, or at once. */
import { sql } from 'kysely'
import { z } from 'zod'
import { inPublic, originOf, type PublicCtx, type Services, savepoint } from '../context.ts'
import { isRetryable, toldOf } from '../database/failures.ts'
import { defineJob, type PlatformJob } from '../jobs/job.ts'
import { recordMailEvents } from './events.ts'
import { isTakenInPart, isUndelivered, type Logged, markFailed, noteDelivery, readMail } from './logged.ts'
import type { MailEvent } from './mail-event.ts'
import { logMail, paceKeyOf, type SendMail } from './mail-log.ts'
import { isAccountMail, paceOf, slowedBy } from './pace.ts'
import { MailRefused, RecipientsRefused, type Refusal } from './providers/provider.ts'
import { unseal } from './sealed.ts'
import { transportOf } from './transport.ts'

/** Delay before a mail is sent again to recipients whose server deferred it (greylisting) while others took it. In seconds. */
const DEFERRED_SECONDS = 300

/** Maximum time of one try in milliseconds, even if the provider keeps sending. */
const TRY_TIMEOUT_MS = 120_000

/** Data of a delivery job: the logged mail, and the limits that were applied already. */
export interface Delivery {
  tenant_id: number
  id: number
  by?: string
  /** Set once the rate limits of sender and workspace have been applied. */
  paced?: boolean
  /** Set once the limit of all workspaces' mails to its recipients has been applied. */
  slowed?: boolean
}

const delivery = (name: string, concurrency: number) => {
  const job: PlatformJob<Delivery> = defineJob<Delivery>({
    name,
    data: z.object({
      tenant_id: z.int(),
      id: z.int(),
      by: z.string().optional(),
      paced: z.boolean().optional(),
      slowed: z.boolean().optional(),
    }),
    workspaceOf: ({ tenant_id }) => tenant_id,
    concurrency,
    // Retries for most of a day, for a server that is down overnight or uses greylisting.
    retries: 16,
    longestPauseSeconds: 4 * 3600,
    async run(services, { tenant_id, id, by, paced, slowed }) {
      const mail = await readMail(services, { tenant_id, id })
      if (!mail || !isUndelivered(mail)) return
      const counted = { type: mail.notification_type, to: [...mail.to, ...mail.cc, ...mail.bcc] }
      const own = paced ? 0 : await paceOf(services, { ...counted, by, of: tenant_id })
      if (own === undefined) return inLog(services, (ctx) => markFailed(ctx, mail, 'Too many mails at once'))
      const wait = own || (slowed ? 0 : await slowedBy(services, counted))
      if (wait) {
        const again = { tenant_id, id, by, paced: true, slowed: !own }
        await inLog(services, (ctx) => services.queue.send(ctx, job, again, { delaySeconds: wait }))
        return
      }
      await deliver(services, mail).catch((error) => {
        if (!(error instanceof RecipientsRefused)) throw error
        return noteUndeliverable(services, mail, error)
      })
    },
    async failed(services, { tenant_id, id }, error) {
      const mail = await readMail(services, { tenant_id, id })
      if (mail) await noteUndeliverable(services, mail, error)
    },
  })
  return job
}

/** Job that delivers a logged mail. */
export const deliverMail = delivery('mail-deliver', 4)
/** Separate queue of account mails, so that sign-in mails never wait for others. */
export const deliverAccountMail = delivery('mail-deliver-account', 3)

/**
 * Separate queue of mails that only some recipients have received. A process of the previous version, which works the other
 * queues, doesn't know `deferred_to` and would end these jobs as done.
 */
export const deliverDeferred = delivery('mail-deliver-deferred', 3)

/** Returns the job that delivers a type of mail. */
export const deliveryOf = (type: string) => (isAccountMail(type) ? deliverAccountMail : deliverMail)

/** Delivers a logged mail at once, without rate limits or retries. Throws the provider's error, which is also logged. */
export async function deliverNow(services: Services, { tenant_id, id }: { tenant_id: number; id: number }) {
  const mail = (await readMail(services, { tenant_id, id }))!
  try {
    await deliver(services, mail)
  } catch (error) {
    await inLog(services, (ctx) => markFailed(ctx, mail, reasonOf(error)))
    throw error
  }
}

async function deliver(services: Services, mail: Logged) {
  const whole = unseal(services, mail.sealed)
  const transport = await transportOf(services)
  const isFurther = isTakenInPart(mail)
  const { messageId, refused } = await transport.send(
    {
      uuid: mail.uuid,
      to: mail.to,
      cc: mail.cc,
      bcc: mail.bcc,
      only: isFurther ? mail.deferred_to : null,
      replyTo: mail.reply_to,
      fromName: mail.from_name,
      headers: headersOf(mail),
      subject: mail.subject,
      html: whole?.html ?? mail.body_html,
      text: whole?.text ?? mail.body_text,
      attachments: mail.attachments.map(attached),
    },
    AbortSignal.timeout(TRY_TIMEOUT_MS),
  )
  const deferred_to = refused.flatMap(({ recipient, permanent }) => (permanent ? [] : recipient))
  await inLog(services, async (ctx) => {
    const changes = {
      // The provider's events may have arrived first.
      status: sql<'sent'>`case when status in ('queued', 'failed') then 'sent' else status end`,
      ...(isFurther ? {} : { provider: transport.name, provider_message_id: messageId, sent_at: ctx.now }),
      deferred_to,
      error: saidOf(refused) ?? (mail.status === 'bounced' ? mail.error : null),
    }
    const kept = transport.name === 'log' || deferred_to.length > 0
    await noteDelivery(ctx, mail, changes, { link: whole?.link, kept })
    if (deferred_to.length) {
      const again = { tenant_id: mail.tenant_id, id: mail.id, paced: true, slowed: true }
      await services.queue.send(ctx, deliverDeferred, again, { delaySeconds: DEFERRED_SECONDS })
    }
    if (!refused.length) return
    await savepoint(ctx, (part) => recordRefusals(part, mail, refused)).catch((error) => {
      if (isRetryable(error)) throw error
      // A failure here must not roll the delivery back: recipients would get the mail again.
      ctx.log.error({ err: error, tenant: mail.tenant_id, mail: mail.uuid }, 'refused recipients of a mail were not recorded')
    })
  })
}

/** Returns a description of recipients that were refused or deferred; null if there were none. */
function saidOf(refused: Refusal[]): string | null {
  const among = (some: Refusal[]) => some.map(({ recipient }) => recipient).join(', ')
  const { refusedFor = [], deferredTo = [] } = Object.groupBy(refused, ({ permanent }) =>
    permanent ? 'refusedFor' : 'deferredTo',
  )
  const said = [
    ...(refusedFor.length ? [`Refused for ${among(refusedFor)}`] : []),
    ...(deferredTo.length ? [`Not taken yet for ${among(deferredTo)}`] : []),
  ]
  return said.join('; ') || null
}

/** Returns the reason of a failure for the log: the provider's message, or ours for other errors. */
const reasonOf = (error: unknown) => (error instanceof MailRefused ? error.message : toldOf(error))

/** Runs the log's update in one transaction, so that a crash leaves no partial state. */
const inLog = <T>(services: Services, work: (ctx: PublicCtx) => Promise<T>) => inPublic(originOf(services), 'write', work)

/** Headers of automatic mails: no automatic replies (RFC 3834), one-click unsubscription (RFC 8058). */
const headersOf = ({ is_automatic, unsubscribe_url }: Logged): Record<string, string> => ({
  ...(is_automatic ? { 'Auto-Submitted': 'auto-generated' } : {}),
  ...(unsubscribe_url
    ? { 'List-Unsubscribe': `<${unsubscribe_url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
    : {}),
})

/**
 * Records that no further try is made. A mail that is refused for good, or deferred for some recipients until the end, counts as
 * bounced: the operator needn't act on it.
 */
const noteUndeliverable = (services: Services, mail: Logged, error: unknown) =>
  inLog(services, async (ctx) => {
    if (!isTakenInPart(mail)) await markFailed(ctx, mail, reasonOf(error))
    else await noteDelivery(ctx, mail, { deferred_to: [], error: reasonOf(error) }, { kept: false })
    const refused = error instanceof RecipientsRefused ? error.refusals : []
    // A reply about the service itself, or an error that isn't a server's reply, is for the operator and not for the sender.
    const reason = error instanceof MailRefused && error.isOfRecipients ? error.message : null
    const left = mail.deferred_to.map((recipient) => ({ recipient, reason, permanent: true }))
    await recordRefusals(ctx, mail, refused.length ? refused : left)
  })

/** Records refusals as bounce events, as a provider reports them later. Senders are notified of permanent ones. */
async function recordRefusals(
  ctx: PublicCtx,
  { tenant_id, uuid }: Logged,
  refused: (Omit<Refusal, 'reason'> & { reason: string | null })[],
) {
  const events = refused.map(
    ({ recipient, reason: detail, permanent }): MailEvent => ({
      type: permanent ? 'bounced' : 'deferred',
      messageId: null,
      uuid,
      id: null,
      recipient,
      permanent,
      detail,
      occurredAt: ctx.now,
    }),
  )
  await recordMailEvents(ctx, events, { send: sendLetter, tenantId: tenant_id })
}

/** Sends a mail without attachments to render. */
const sendLetter: SendMail = async (ctx, mail, tenantId) => {
  const { tenant_id, id } = await logMail(ctx, mail, tenantId)
  return ctx.services.queue.send(ctx, deliveryOf(mail.type), { tenant_id, id, by: paceKeyOf(ctx) })
}

function attached({ name, mime, content }: Logged['attachments'][number]) {
  if (!content) throw new Error(`${name} was not drawn.`)
  return { name, mime, content }
}
