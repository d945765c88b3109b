/** Delivering what the log holds: from the queue, paced and retried, or at once. */
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

/** After so long a mail is sent again to those whose server has not taken it yet, while it had taken it for others: what keeps strangers out wants some minutes. */
const DEFERRED_SECONDS = 300

/** Whole time of one try, in milliseconds: of a provider that goes on answering, slowly, as well. */
const TRY_TIMEOUT_MS = 120_000

export interface Delivery {
  tenant_id: number
  id: number
  by?: string
  /** Has had its turn. */
  paced?: boolean
  /** Has waited for what others write to its recipients. */
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
    // For most of a day: a server that is away for the night, or takes nothing of strangers at first, gets its mails.
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

export const deliverMail = delivery('mail-deliver', 4)
/** Mails of accounts stand in a queue of their own: whoever waits to sign in waits for no other mail. */
export const deliverAccountMail = delivery('mail-deliver-account', 3)

/**
 * Mails that some recipients have, and others are still to get: a queue of its own, for a process of the version before, which works the others and knows of
 * no such recipients, would end these jobs as done.
 */
export const deliverDeferred = delivery('mail-deliver-deferred', 3)

/** The job that delivers a type of mail. */
export const deliveryOf = (type: string) => (isAccountMail(type) ? deliverAccountMail : deliverMail)

/** Delivers a logged mail at once, without its turn and with one try. Throws what the provider said; the log has it too. */
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
      // The provider may have told of it already.
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
      // Those who have the mail would get it again if what can't be written took the delivery along.
      ctx.log.error({ err: error, tenant: mail.tenant_id, mail: mail.uuid }, 'refused recipients of a mail were not recorded')
    })
  })
}

/** Who did not take a mail that others took; null: everybody did. */
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

/** Why a mail was not delivered, for those who read the log: in the provider's own words, or in ours where it was not about the provider. */
const reasonOf = (error: unknown) => (error instanceof MailRefused ? error.message : toldOf(error))

/** What became of a mail is written in one transaction: a process that ends before it has written nothing. */
const inLog = <T>(services: Services, work: (ctx: PublicCtx) => Promise<T>) => inPublic(originOf(services), 'write', work)

/** Automatic replies stay away from automatic mails (RFC 3834); one click, or the mail program itself, ends mails of a kind (RFC 8058). */
const headersOf = ({ is_automatic, unsubscribe_url }: Logged): Record<string, string> => ({
  ...(is_automatic ? { 'Auto-Submitted': 'auto-generated' } : {}),
  ...(unsubscribe_url
    ? { 'List-Unsubscribe': `<${unsubscribe_url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
    : {}),
})

/**
 * Notes that no further try is made. A mail that is refused for good, or that some recipients have and the others' server never took, has bounced: that is no
 * fault of the service's to look at.
 */
const noteUndeliverable = (services: Services, mail: Logged, error: unknown) =>
  inLog(services, async (ctx) => {
    if (!isTakenInPart(mail)) await markFailed(ctx, mail, reasonOf(error))
    else await noteDelivery(ctx, mail, { deferred_to: [], error: reasonOf(error) }, { kept: false })
    const refused = error instanceof RecipientsRefused ? error.refusals : []
    // What was said of us, or wasn't said by a server, is the operator's to read, and not whoever's mail it was.
    const reason = error instanceof MailRefused && error.isOfRecipients ? error.message : null
    const left = mail.deferred_to.map((recipient) => ({ recipient, reason, permanent: true }))
    await recordRefusals(ctx, mail, refused.length ? refused : left)
  })

/** As a provider tells of bounces later; whoever sent the mail is told of those for good. */
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

/** A mail without attachments that are still to be drawn. */
const sendLetter: SendMail = async (ctx, mail, tenantId) => {
  const { tenant_id, id } = await logMail(ctx, mail, tenantId)
  return ctx.services.queue.send(ctx, deliveryOf(mail.type), { tenant_id, id, by: paceKeyOf(ctx) })
}

function attached({ name, mime, content }: Logged['attachments'][number]) {
  if (!content) throw new Error(`${name} was not drawn.`)
  return { name, mime, content }
}
