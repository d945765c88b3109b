/**
 * What a mail provider tells of mails that it took, written to the e-mail log. Told twice it counts once; told out of order it
 * comes to the same: a status is only left for one that weighs more.
 */
import { sql } from 'kysely'
import type { PublicCtx } from '../context.ts'
import { sha256 } from '../secrets/secrets.ts'
import { inOne, lockAcross, type Within } from '../tenancy/across.ts'
import { placeOfUuid } from '../tenancy/placed-uuids.ts'
import { notifyBounce } from './bounces.ts'
import type { LoggedMail, MailEvent, MailEventType } from './mail-event.ts'
import type { SendMail } from './mail-log.ts'

/** More events of one mail are not kept, nor counted. */
const MAX_EVENTS = 200

/**
 * Writes events to the mails that they are about; those of unknown mails, and of other workspaces than the one that is given, are
 * nothing. Hard bounces are told to the senders, by `send`. Gives how many were new.
 */
export async function recordMailEvents(
  ctx: PublicCtx,
  events: MailEvent[],
  { send, tenantId }: { send: SendMail; tenantId?: number },
): Promise<number> {
  let fresh = 0
  const inOrder = events.toSorted((a, b) => ((a.messageId ?? '') < (b.messageId ?? '') ? -1 : 1)) // two at once lock in one order
  for (const event of inOrder) {
    const mail = await findMail(ctx, event, tenantId)
    if (mail && (await record(ctx, mail, event, send))) fresh++
  }
  return fresh
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The mail of an event, locked: events of one mail are written one after the other. Ids come with the brackets of a header, or without. */
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
/** By weight. That one recipient was not reached weighs more than that another one was. */
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
