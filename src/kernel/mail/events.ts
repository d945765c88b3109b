/**
 * Delivery events of a mail provider, written to the e-mail log. Duplicates count once. The result doesn't depend on their order:
 * a status is only replaced by one of higher rank.
 */
import { sql } from 'kysely'
import type { PublicCtx } from '../context.ts'
import { sha256 } from '../secrets/secrets.ts'
import { inOne, lockAcross, type Within } from '../tenancy/across.ts'
import { placeOfUuid } from '../tenancy/placed-uuids.ts'
import { notifyBounce } from './bounces.ts'
import type { LoggedMail, MailEvent, MailEventType } from './mail-event.ts'
import type { SendMail } from './mail-log.ts'

/** Maximum number of events stored and counted per mail. */
const MAX_EVENTS = 200

/**
 * Records events for their mails. Ignores those of unknown mails, and of other workspaces than `tenantId` if given. Notifies
 * senders of hard bounces by `send`. Returns the number of new events.
 */
export async function recordMailEvents(
  ctx: PublicCtx,
  events: MailEvent[],
  { send, tenantId }: { send: SendMail; tenantId?: number },
): Promise<number> {
  let fresh = 0
  // a fixed order of locks prevents deadlocks
  const inOrder = events.toSorted((a, b) => ((a.messageId ?? '') < (b.messageId ?? '') ? -1 : 1))
  for (const event of inOrder) {
    const mail = await findMail(ctx, event, tenantId)
    if (mail && (await record(ctx, mail, event, send))) fresh++
  }
  return fresh
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Finds and locks an event's mail, so that events of one mail are written one after the other. Message ids may have the brackets
 * of the header or not.
 */
async function findMail(ctx: PublicCtx, { messageId, uuid }: MailEvent, tenantId?: number) {
  const bare = messageId?.replace(/^<|>$/g, '')
  const ids = bare ? [bare, `<${bare}>`] : []
  const ours = uuid && UUID.test(uuid) ? uuid : null
  if (!ids.length && !ours) return undefined
  const select = (within: Within, lock: boolean) =>
    ctx.tx
      .selectFrom('email_logs')
      .selectAll()
      .where((eb) =>
        eb.or([...(ours ? [eb('uuid', '=', ours)] : []), ...(ids.length ? [eb('provider_message_id', 'in', ids)] : [])]),
      )
      .where('provider', 'is distinct from', 'log')
      .$if(tenantId !== undefined, (query) => query.where('tenant_id', '=', tenantId!))
      .where(within('email_logs'))
      .orderBy('id')
      .limit(1)
      .$if(lock, (query) => query.forUpdate())
      .execute()
  const isPlaced = ctx.services.database.isCluster && tenantId === undefined && ours
  const [placed] = isPlaced ? await select(inOne(placeOfUuid(ours)), true) : []
  return placed ?? (await lockAcross(ctx, select))[0]
}

async function record(ctx: PublicCtx, mail: LoggedMail, event: MailEvent, send: SendMail): Promise<boolean> {
  const { type, recipient, permanent, detail, occurredAt } = event
  const event_key = sha256(event.id ?? `${type} ${recipient} ${occurredAt}`).toString('base64url')
  const { rows } = await sql`
    insert into email_events (tenant_id, email_log_id, event_key, type, recipient, permanent, detail, occurred_at, created_at)
    select ${mail.tenant_id}, ${mail.id}, ${event_key}, ${type}, ${recipient}, ${permanent}, ${detail}, ${occurredAt}, ${ctx.now}
    where (select count(*) from email_events where tenant_id = ${mail.tenant_id} and email_log_id = ${mail.id}) < ${MAX_EVENTS}
    on conflict do nothing returning 1`.execute(ctx.tx)
  if (!rows.length) return false
  const status = heavier(mail.status, type)
  await ctx.tx
    .updateTable('email_logs')
    .set((eb) => ({
      status,
      error: type === 'bounced' || type === 'failed' ? (detail ?? mail.error) : mail.error,
      open_count: eb('open_count', '+', Number(type === 'opened')),
      click_count: eb('click_count', '+', Number(type === 'clicked')),
    }))
    .where('tenant_id', '=', mail.tenant_id)
    .where('id', '=', mail.id)
    .execute()
  if (type === 'bounced' && permanent) await notifyBounce(ctx, mail, event, send)
  return true
}

type Status = LoggedMail['status']
/** Statuses by rank. A failure for one recipient outranks a success for another. */
const STATUSES: Status[] = ['queued', 'sent', 'failed', 'delivered', 'bounced', 'complained']
const statusOf: Record<MailEventType, Status> = {
  deferred: 'sent',
  failed: 'failed',
  delivered: 'delivered',
  opened: 'delivered',
  clicked: 'delivered',
  bounced: 'bounced',
  complained: 'complained',
}
const heavier = (is: Status, type: MailEventType) => {
  const told = statusOf[type]
  return STATUSES.indexOf(told) > STATUSES.indexOf(is) ? told : is
}
