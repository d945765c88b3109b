/** A mail of the log on its way: reading it, and noting what became of it. The link in it lives from its delivery on, and ends with its failure. */
import type { UpdateObject } from 'kysely'
import type { Services } from '../context.ts'
import type { Tx } from '../database/connect.ts'
import type { DB } from '../database/tables.ts'
import { sha256 } from '../secrets/secrets.ts'
import { plusSeconds } from '../values/time.ts'
import { GONE, type MailedLink, unseal } from './sealed.ts'

export type Logged = NonNullable<Awaited<ReturnType<typeof readMail>>>

/** A logged mail with its attachments; undefined when it is gone. */
export async function readMail(services: Services, { tenant_id, id }: { tenant_id: number; id: number }) {
  return services.database.platform('read', async (tx) => {
    const mail = await tx
      .selectFrom('email_logs')
      .selectAll()
      .where('tenant_id', '=', tenant_id)
      .where('id', '=', id)
      .executeTakeFirst()
    const attachments = await tx
      .selectFrom('email_attachments')
      .select(['id', 'name', 'mime', 'content', 'drawing'])
      .where('tenant_id', '=', tenant_id)
      .where('email_log_id', '=', id)
      .orderBy('id')
      .execute()
    return mail && { ...mail, attachments }
  })
}

/** Whether it is still to be sent: no earlier try has done it, and a text that was sealed is not gone. */
export const isUndelivered = ({ status, sealed }: Logged) => (status === 'queued' || status === 'failed') && sealed?.length !== 0

/** Notes a delivery, and begins the time of the mail's link. What was sealed is gone with it, unless it is `kept` to be read in the log. */
export async function noteDelivery(
  services: Services,
  mail: Logged,
  changes: UpdateObject<DB, 'email_logs'>,
  { link, kept }: { link?: MailedLink; kept: boolean },
) {
  await services.database.platform('write', async (tx) => {
    await update(tx, mail, { ...changes, ...(kept ? {} : forgotten(mail)) })
    if (link) await beginLink(tx, link, services.clock.now())
  })
}

/** Notes that a mail will not be delivered, and ends its link, which nobody has seen. */
export async function markFailed(services: Services, mail: Logged, reason: string) {
  const link = linkOf(services, mail)
  await services.database.platform('write', async (tx) => {
    await update(tx, mail, { status: 'failed', error: reason.slice(0, 2000), ...forgotten(mail) })
    if (link) await tx.deleteFrom('one_time_tokens').where('secret_hash', '=', sha256(link.token)).execute()
  })
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
