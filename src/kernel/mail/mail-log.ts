/** E-mail log. A mail is written to it before its delivery. */
import type { BaseCtx, Ctx } from '../context.ts'
import type { PdfSpec } from '../pdf/pdf-spec.ts'
import { insertAll, insertTold } from '../records/many-rows.ts'
import { ownUuid } from '../tenancy/placed-uuids.ts'
import { displayName } from './names.ts'
import { type MailedLink, seal } from './sealed.ts'

/** Mail to log and deliver. */
export interface Mail {
  /** Type for the log: `purchase_order.emailed`. */
  type: string
  to: string[]
  cc?: string[]
  bcc?: string[]
  replyTo?: string
  /**
   * Sender's display name, such as a company in mails to its customers. The address is the platform's. Default: the platform's
   * name.
   */
  from?: string
  /** False for mails written by a person: auto-responders don't reply to automatic ones (RFC 3834). Default: true. */
  automatic?: boolean
  /** URL whose POST unsubscribes from mails of this kind (RFC 8058). */
  unsubscribeUrl?: string
  subject: string
  html: string
  text: string
  attachments?: Attachment[]
  /** User who caused the mail, if not the context's actor. Is notified of hard bounces. */
  sentBy?: number | null
  /** Parts of the bodies that the log must not show. */
  secrets?: string[]
  /** One-time link in the mail. Its token is a secret, and its lifetime starts with the delivery. */
  link?: MailedLink
}

/** File content, or a PDF that is rendered before delivery, so that no transaction and no other mail waits for the renderer. */
export type Attachment = { name: string; mime: string } & ({ content: Buffer } | { drawing: PdfSpec })

/** Function that sends a mail from a transaction. */
export type SendMail = (ctx: BaseCtx, mail: Mail, tenantId?: number) => Promise<unknown>

export interface LoggedMail {
  tenant_id: number
  id: number
  uuid: string
}

/** Logs a mail that the caller delivers itself. */
export async function logMail(
  ctx: BaseCtx,
  mail: Mail,
  tenantId = 'tenant' in ctx ? (ctx.tenant as { id: number }).id : 0,
): Promise<LoggedMail> {
  const row = await ctx.tx
    .insertInto('email_logs')
    .values({ tenant_id: tenantId, ...rowOf(ctx, mail, tenantId) })
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
  return { tenant_id: tenantId, ...row }
}

/**
 * Logs any number of a workspace's mails in two statements. Their attachments are still to be rendered. Returns them in order.
 */
export async function logMails(ctx: Ctx, mails: DrawnMail[]): Promise<LoggedMail[]> {
  const rows = mails.map((mail) => {
    const { sealed, ...row } = rowOf(ctx, mail, ctx.tenant.id)
    return { ...row, sealed: sealed && (`\\x${sealed.toString('hex')}` as never) }
  })
  const logged = await insertTold(ctx, 'email_logs', rows, ['id', 'uuid'])
  const attachments = mails.flatMap(({ attachments = [] }, n) =>
    attachments.map(({ name, mime, drawing }) => ({ email_log_id: logged[n]!.id, name, mime, drawing: drawing as never })),
  )
  await insertAll(ctx, 'email_attachments', attachments)
  return logged.map((row) => ({ tenant_id: ctx.tenant.id, ...row }))
}

/** Mail that is sent together with many others. */
export type DrawnMail = Omit<Mail, 'attachments'> & { attachments?: { name: string; mime: string; drawing: PdfSpec }[] }

const rowOf = (ctx: BaseCtx, mail: Mail, tenantId: number) => ({
  notification_type: mail.type,
  to: mail.to,
  cc: mail.cc ?? [],
  bcc: mail.bcc ?? [],
  reply_to: mail.replyTo ?? null,
  from_name: mail.from === undefined ? null : displayName(mail.from),
  is_automatic: mail.automatic ?? true,
  unsubscribe_url: mail.unsubscribeUrl ?? null,
  subject: mail.subject.replace(/[\r\n]+/g, ' '),
  ...seal(ctx.services, mail, mail.secrets),
  sent_by: mail.sentBy !== undefined ? mail.sentBy : 'tenant' in ctx === tenantId > 0 ? actorOf(ctx) : null,
  created_at: ctx.now,
  ...ownUuid(ctx, tenantId),
})

const actorOf = (ctx: BaseCtx) => ('actor' in ctx ? (ctx.actor as { id: number | null }).id : null)

/** Returns the key of the sender's rate limit: the user, or the IP address if nobody is signed in. Undefined for the system. */
export function paceKeyOf(ctx: BaseCtx): string | undefined {
  const id = actorOf(ctx)
  if (id !== null) return `${'tenant' in ctx ? 'user' : 'platform user'} ${id}`
  return ctx.request.ip ? `address ${ctx.request.ip}` : undefined
}
