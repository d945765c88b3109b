/** Delivering what the log holds: from the queue, paced and retried, or at once. */
import { sql, type UpdateObject } from 'kysely'
import { z } from 'zod'
import { inPublic, originOf, type Services } from '../context.ts'
import type { DB } from '../database/tables.ts'
import { HttpError } from '../errors.ts'
import { defineJob, type PlatformJob } from '../jobs/job.ts'
import { type Drawing, drawPdf } from '../pdf/drawing.ts'
import { LONGEST_WAIT_SECONDS, paceOf } from './pace.ts'
import { GONE, unseal } from './sealed.ts'
import { transportOf } from './transport.ts'

interface Delivery {
  tenant_id: number
  id: number
  by?: string
  /** Has had its turn. */
  paced?: boolean
}

export const deliverMail: PlatformJob<Delivery> = defineJob<Delivery>({
  name: 'mail-deliver',
  data: z.object({ tenant_id: z.int(), id: z.int(), by: z.string().optional(), paced: z.boolean().optional() }),
  async run(services, { tenant_id, id, by, paced }) {
    const mail = await read(services, tenant_id, id)
    if (!mail || !['queued', 'failed'].includes(mail.status)) return // already sent by an earlier try
    const wait = paced ? 0 : await paceOf(services, { to: [...mail.to, ...mail.cc, ...mail.bcc], by, of: tenant_id })
    if (wait > LONGEST_WAIT_SECONDS) return giveUp(services, mail, 'Too many mails at once')
    if (wait) {
      const again = { tenant_id, id, by, paced: true }
      await inPublic(originOf(services), 'write', (ctx) => services.queue.send(ctx, deliverMail, again, { delaySeconds: wait }))
      return
    }
    await deliver(services, mail)
  },
  async failed(services, { tenant_id, id }, error) {
    const mail = await read(services, tenant_id, id)
    if (mail) await giveUp(services, mail, error.message)
  },
})

/** Delivers a logged mail at once, without its turn and with one try. Throws what the provider said; the log has it too. */
export async function deliverNow(services: Services, { tenant_id, id }: { tenant_id: number; id: number }) {
  const mail = (await read(services, tenant_id, id))!
  try {
    await deliver(services, mail)
  } catch (error) {
    await giveUp(services, mail, (error as Error).message)
    throw error
  }
}

type Logged = NonNullable<Awaited<ReturnType<typeof read>>>

async function deliver(services: Services, mail: Logged) {
  const whole = unseal(services, mail.sealed)
  let attachments: Drawn[]
  try {
    attachments = await drawAttachments(services, mail.tenant_id, mail.attachments)
  } catch (error) {
    // Another try would fail in the same way: the document itself can't be printed.
    if (!(error instanceof HttpError && error.status === 422)) throw error
    return giveUp(services, mail, error.message)
  }
  const transport = await transportOf(services)
  const { messageId, refused } = await transport.send({
    uuid: mail.uuid,
    to: mail.to,
    cc: mail.cc,
    bcc: mail.bcc,
    replyTo: mail.reply_to,
    subject: mail.subject,
    html: whole?.html ?? mail.body_html,
    text: whole?.text ?? mail.body_text,
    attachments,
  })
  await update(services, mail, {
    // The provider may have told of it already.
    status: sql`case when status in ('queued', 'failed') then 'sent' else status end`,
    provider: transport.name,
    provider_message_id: messageId,
    sent_at: services.clock.now(),
    error: refused.length ? `Refused for ${refused.join(', ')}` : null,
    ...(transport.name === 'log' ? {} : forgotten(mail)),
  })
}

const giveUp = (services: Services, mail: Logged, reason: string) =>
  update(services, mail, { status: 'failed', error: reason.slice(0, 2000), ...forgotten(mail) })

/** What was sealed is gone with the delivery. */
const forgotten = ({ sealed }: Logged) => (sealed ? { sealed: GONE } : {})

async function read(services: Services, tenantId: number, id: number) {
  return services.database.platform('read', async (tx) => {
    const mail = await tx
      .selectFrom('email_logs')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst()
    const attachments = await tx
      .selectFrom('email_attachments')
      .select(['id', 'name', 'mime', 'content', 'drawing'])
      .where('tenant_id', '=', tenantId)
      .where('email_log_id', '=', id)
      .orderBy('id')
      .execute()
    return mail && { ...mail, attachments }
  })
}

type Stored = Logged['attachments'][number]
type Drawn = Stored & { content: Buffer }

/** The bytes of a mail's attachments. What is drawn for it is kept, so that each try and each copy sends the same. */
async function drawAttachments(services: Services, tenantId: number, attachments: Stored[]): Promise<Drawn[]> {
  const drawn: Drawn[] = []
  for (const one of attachments) {
    const content = one.content ?? (await drawPdf(services, tenantId, one.drawing as unknown as Drawing))
    drawn.push({ ...one, content })
    if (one.content) continue
    await services.database.platform('write', (tx) =>
      tx
        .updateTable('email_attachments')
        .set({ content, drawing: null })
        .where('tenant_id', '=', tenantId)
        .where('id', '=', one.id)
        .execute(),
    )
  }
  return drawn
}

async function update(services: Services, { tenant_id, id }: Logged, changes: UpdateObject<DB, 'email_logs'>) {
  await services.database.platform('write', (tx) =>
    tx.updateTable('email_logs').set(changes).where('tenant_id', '=', tenant_id).where('id', '=', id).execute(),
  )
}
