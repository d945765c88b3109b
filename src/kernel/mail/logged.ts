/** A mail of the log on its way: reading it, and noting what became of it. The link in it lives from its delivery on, and ends with its failure. */
import { sql, type UpdateObject } from 'kysely'
import type { BaseCtx, Services } from '../context.ts'
import { allPipelined, type Tx } from '../database/connect.ts'
import type { DB } from '../database/tables.ts'
import { sha256 } from '../secrets/secrets.ts'
import { plusSeconds } from '../values/time.ts'
import { GONE, type MailedLink, unseal } from './sealed.ts'

export type Logged = Awaited<ReturnType<typeof readMails>>[number]

/** A logged mail with its attachments; undefined when it is gone. */
export const readMail = async (services: Services, { tenant_id, id }: { tenant_id: number; id: number }) =>
  (await readMails(services, tenant_id, [id]))[0]

/** Logged mails with their attachments; those that are gone are left out. */
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

/** Whether it is still to be sent: no earlier try has done it for all its recipients, and a text that was sealed is not gone. */
export const isUndelivered = (mail: Logged) =>
  (mail.status === 'queued' || mail.status === 'failed' || isTakenInPart(mail)) && mail.sealed?.length !== 0

/** Whether some recipients have it, and others are to get it once their server takes it. */
export const isTakenInPart = ({ deferred_to }: Logged) => deferred_to.length > 0

/** Notes a delivery, and begins the time of the mail's link. What was sealed is gone with it, unless it is `kept`: to be read in the log, or for recipients that are left. */
export async function noteDelivery(
  { tx, now }: BaseCtx,
  mail: Logged,
  changes: UpdateObject<DB, 'email_logs'>,
  { link, kept }: { link?: MailedLink; kept: boolean },
) {
  await update(tx, mail, { ...changes, ...(kept ? {} : forgotten(mail)) })
  if (link) await beginLink(tx, link, now)
}

/** Notes that a mail will not be delivered, and why, in words for those who read the log; ends its link, which nobody has seen. */
export async function markFailed({ tx, services }: BaseCtx, mail: Logged, reason: string) {
  const link = linkOf(services, mail)
  await update(tx, mail, { status: 'failed', error: reason.slice(0, 2000), ...forgotten(mail) })
  if (link) await tx.deleteFrom('one_time_tokens').where('secret_hash', '=', sha256(link.token)).execute()
}

/** None where the text can't be opened: it was sealed under another APP_KEY. */
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
