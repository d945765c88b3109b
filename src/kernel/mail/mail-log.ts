/** The e-mail log: a mail is written to it before anybody delivers it. */
import type { BaseCtx, Ctx } from '../context.ts'
import type { PdfSpec } from '../pdf/pdf-spec.ts'
import { insertAll, insertTold } from '../records/many-rows.ts'
import { ownUuid } from '../tenancy/placed-uuids.ts'
import { displayName } from './names.ts'
import { type MailedLink, seal } from './sealed.ts'

export interface Mail {
  /** What it is, for the log: `purchase_order.emailed`. */
  type: string
  to: string[]
  cc?: string[]
  bcc?: string[]
  replyTo?: string
  /** Whom it comes from, by name: a firm, in mails to its customers. The address is the platform's. Default: its name too. */
  from?: string
  /** False for what a person wrote: programs that answer mails don't answer the others (RFC 3834). Default: true. */
  automatic?: boolean
  /** Where a POST ends mails of this kind at once (RFC 8058). */
  unsubscribeUrl?: string
  subject: string
  html: string
  text: string
  attachments?: Attachment[]
  /** The user whose deed it was, where that isn't the one at hand: hard bounces are told to them. */
  sentBy?: number | null
  /** Parts of the bodies that the log must not show. */
  secrets?: string[]
  /** The link in it that works once: its token is a secret, and its time begins with the delivery. */
  link?: MailedLink
}

/** Bytes, or a PDF that is drawn before the mail is delivered: neither a transaction nor other mails wait for the printer. */
export type Attachment = { name: string; mime: string } & ({ content: Buffer } | { drawing: PdfSpec })

/** What sends a mail from a transaction. */
export type SendMail = (ctx: BaseCtx, mail: Mail, tenantId?: number) => Promise<unknown>

export interface LoggedMail {
  tenant_id: number
  id: number
  uuid: string
}

/** Logs a mail that the caller itself will deliver. */
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

/** Logs mails of a workspace in two statements, however many they are; what is attached to them is still to be drawn. In their order. */
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

/** One that is sent with many others. */
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

/** Whose mails these are: a user's, or those of an address where nobody is signed in; undefined for the system's own. */
export function paceKeyOf(ctx: BaseCtx): string | undefined {
  const id = actorOf(ctx)
  if (id !== null) return `${'tenant' in ctx ? 'user' : 'platform user'} ${id}`
  return ctx.request.ip ? `address ${ctx.request.ip}` : undefined
}
