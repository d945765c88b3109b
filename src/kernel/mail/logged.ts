/**
 * Reads logged mails and records their delivery or failure. The link in a mail becomes valid with the delivery, and is deleted on
 * failure.
 */
import { sql, type UpdateObject } from 'kysely'
import type { BaseCtx, Services } from '../context.ts'
import { allPipelined, type Tx } from '../database/connect.ts'
import type { DB } from '../database/tables.ts'
import { sha256 } from '../secrets/secrets.ts'
import { plusSeconds } from '../values/time.ts'
import { GONE, type MailedLink, unseal } from './sealed.ts'

/** Logged mail with its attachments. */
export type Logged = Awaited<ReturnType<typeof readMails>>[number]

/** Returns a logged mail with its attachments; undefined if it no longer exists. */
export const readMail = async (services: Services, { tenant_id, id }: { tenant_id: number; id: number }) =>
  (await readMails(services, tenant_id, [id]))[0]

/** Returns logged mails with their attachments. Missing ones are left out. */
export const readMails = (services: Services, tenantId: number, ids: number[]) =>
  services.database.platform('read', async (tx) => {
    const among = (column: string) => sql<boolean>`${sql.ref(column)} = any(${ids}::bigint[])`
    const [mails, attachments] = await allPipelined(
      tx.selectFrom('email_logs').selectAll().where('tenant_id', '=', tenantId).where(among('id')).orderBy('id').execute(),
      tx
        .selectFrom('email_attachments')
        .select(['email_log_id', 'id', 'name', 'mime', 'content', 'drawing'])
        .where('tenant_id', '=', tenantId)
        .where(among('email_log_id'))
        .orderBy('id')
        .execute(),
    )
    const of = Map.groupBy(attachments, ({ email_log_id }) => email_log_id)
    return mails.map((mail) => ({ ...mail, attachments: of.get(mail.id) ?? [] }))
  })

/** Returns whether a mail is still to be sent: not yet delivered to all recipients, and its sealed text still exists. */
export const isUndelivered = (mail: Logged) =>
  (mail.status === 'queued' || mail.status === 'failed' || isTakenInPart(mail)) && mail.sealed?.length !== 0

/** Returns whether some recipients have the mail and others were deferred. */
export const isTakenInPart = ({ deferred_to }: Logged) => deferred_to.length > 0

/**
 * Records a delivery and starts the lifetime of the mail's link. Deletes the sealed text unless `kept`: for reading it in the
 * log, or for remaining recipients.
 */
export async function noteDelivery(
  { tx, now }: BaseCtx,
  mail: Logged,
  changes: UpdateObject<DB, 'email_logs'>,
  { link, kept }: { link?: MailedLink; kept: boolean },
) {
  await update(tx, mail, { ...changes, ...(kept ? {} : forgotten(mail)) })
  if (link) await beginLink(tx, link, now)
}

/** Records that a mail will not be delivered, with the reason for readers of the log. Deletes its link, which nobody has seen. */
export async function markFailed({ tx, services }: BaseCtx, mail: Logged, reason: string) {
  const link = linkOf(services, mail)
  await update(tx, mail, { status: 'failed', error: reason.slice(0, 2000), ...forgotten(mail) })
  if (link) await tx.deleteFrom('one_time_tokens').where('secret_hash', '=', sha256(link.token)).execute()
}

/** Returns the link; undefined if the text was sealed with another APP_KEY. */
function linkOf(services: Services, { sealed }: Logged) {
  try {
    return unseal(services, sealed)?.link
  } catch {
    return undefined
  }
}

const forgotten = ({ sealed }: Logged) => (sealed ? { sealed: GONE } : {})

const update = (tx: Tx, { tenant_id, id }: Logged, changes: UpdateObject<DB, 'email_logs'>) =>
  tx.updateTable('email_logs').set(changes).where('tenant_id', '=', tenant_id).where('id', '=', id).execute()

const beginLink = (tx: Tx, { token, seconds }: MailedLink, now: string) =>
  tx
    .updateTable('one_time_tokens')
    .set({ expires_at: plusSeconds(now, seconds) })
    .where('secret_hash', '=', sha256(token))
    .where('used_at', 'is', null)
    .execute()
