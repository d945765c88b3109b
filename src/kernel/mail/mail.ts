/** Mail: written to the log in the transaction of its cause, sent from the queue, retried, and readable in the log with its body. */
import type { Updateable } from 'kysely'
import nodemailer, { type Transporter } from 'nodemailer'
import { z } from 'zod'
import { type BaseCtx, inPublic, originOf, type Services } from '../context.ts'
import type { EmailLogs } from '../database/tables.ts'
import { HttpError } from '../errors.ts'
import { defineJob, type PlatformJob } from '../jobs/job.ts'
import { type Drawing, drawPdf } from '../pdf/drawing.ts'
import { LONGEST_WAIT_SECONDS, paceOf } from './pace.ts'
import { GONE, seal, unseal } from './sealed.ts'

export interface Mail {
  /** What it is, for the log: `purchase_order.emailed`. */
  type: string
  to: string[]
  cc?: string[]
  bcc?: string[]
  replyTo?: string
  subject: string
  html: string
  text: string
  attachments?: Attachment[]
  /** Parts of the bodies that the log must not show: tokens of links. */
  secrets?: string[]
}

/** Bytes, or a PDF that is drawn when the mail is delivered: a transaction never waits for the printer. */
export type Attachment = { name: string; mime: string } & ({ content: Buffer } | { drawing: Drawing })

/** Logs a mail and queues it for delivery. Belongs to the ctx's workspace, or to the platform (0). Returns its uuid in the log. */
export async function sendMail(
  ctx: BaseCtx,
  mail: Mail,
  tenantId = 'tenant' in ctx ? (ctx.tenant as { id: number }).id : 0,
): Promise<string> {
  const row = await ctx.tx
    .insertInto('email_logs')
    .values({
      tenant_id: tenantId,
      notification_type: mail.type,
      to: mail.to,
      cc: mail.cc ?? [],
      bcc: mail.bcc ?? [],
      reply_to: mail.replyTo ?? null,
      subject: mail.subject.replace(/[\r\n]+/g, ' '),
      ...seal(ctx.services, mail, mail.secrets),
      created_at: ctx.now,
    })
    .returning(['id', 'uuid'])
    .executeTakeFirstOrThrow()
  if (mail.attachments?.length)
    await ctx.tx
      .insertInto('email_attachments')
      .values(
        mail.attachments.map(({ name, mime, ...file }) => ({
          tenant_id: tenantId,
          email_log_id: row.id,
          name,
          mime,
          content: 'content' in file ? file.content : null,
          drawing: 'drawing' in file ? JSON.stringify(file.drawing) : null,
        })),
      )
      .execute()
  await ctx.services.queue.send(ctx, deliverMail, { tenant_id: tenantId, id: row.id, by: senderOf(ctx) })
  return row.uuid
}

/** Whose mails these are: a user's, or those of an address where nobody is signed in; undefined for the system's own. */
function senderOf(ctx: BaseCtx): string | undefined {
  const { id = null } = 'actor' in ctx ? (ctx.actor as { id: number | null }) : {}
  if (id !== null) return `${'tenant' in ctx ? 'user' : 'platform user'} ${id}`
  return ctx.request.ip ? `address ${ctx.request.ip}` : undefined
}

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
    if (wait > LONGEST_WAIT_SECONDS)
      return update(services, tenant_id, id, { status: 'failed', error: 'Too many mails at once', ...forgotten(mail) })
    if (wait) {
      const again = { tenant_id, id, by, paced: true }
      await inPublic(originOf(services), 'write', (ctx) => services.queue.send(ctx, deliverMail, again, { delaySeconds: wait }))
      return
    }
    const whole = unseal(services, mail.sealed)
    let attachments: Drawn[]
    try {
      attachments = await drawAttachments(services, tenant_id, mail.attachments)
    } catch (error) {
      // Another try would fail in the same way: the document itself can't be printed.
      if (!(error instanceof HttpError && error.status === 422)) throw error
      return update(services, tenant_id, id, { status: 'failed', error: error.message, ...forgotten(mail) })
    }
    const transport = transportOf(services)
    const sent = transport
      ? await transport.sendMail({
          from: services.config.MAIL_FROM,
          to: mail.to,
          cc: mail.cc,
          bcc: mail.bcc,
          replyTo: mail.reply_to ?? undefined,
          subject: mail.subject,
          html: whole?.html ?? mail.body_html,
          text: whole?.text ?? mail.body_text,
          attachments: attachments.map(({ name, mime, content }) => ({ filename: name, contentType: mime, content })),
          headers: { 'X-Atrium-Mail': mail.uuid },
        })
      : undefined
    await update(services, tenant_id, id, {
      status: 'sent',
      provider: transport ? 'smtp' : 'log',
      provider_message_id: sent?.messageId ?? null,
      sent_at: services.clock.now(),
      error: sent?.rejected?.length ? `Refused for ${sent.rejected.join(', ')}` : null,
      ...(transport ? forgotten(mail) : {}),
    })
  },
  async failed(services, { tenant_id, id }, error) {
    const mail = await read(services, tenant_id, id)
    await update(services, tenant_id, id, { status: 'failed', error: error.message.slice(0, 2000), ...forgotten(mail) })
  },
})

/** What was sealed is gone with the delivery. */
const forgotten = (mail: { sealed: Buffer | null } | undefined) => (mail?.sealed ? { sealed: GONE } : {})

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

type Stored = NonNullable<Awaited<ReturnType<typeof read>>>['attachments'][number]
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

async function update(services: Services, tenantId: number, id: number, changes: Updateable<EmailLogs>) {
  await services.database.platform('write', (tx) =>
    tx.updateTable('email_logs').set(changes).where('tenant_id', '=', tenantId).where('id', '=', id).execute(),
  )
}

const transports = new WeakMap<Services, Transporter>()

function transportOf(services: Services) {
  if (!services.config.SMTP_URL) return undefined
  let transport = transports.get(services)
  if (!transport) {
    const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }
    transports.set(services, (transport = nodemailer.createTransport({ url: services.config.SMTP_URL, ...timeouts })))
  }
  return transport
}
