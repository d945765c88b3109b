/** The log of outgoing mail, of every workspace. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import type { Drawing } from '#kernel/pdf/drawing.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { instant } from '#kernel/values/fields.ts'

const STATUSES = ['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'] as const

export const EmailLog = z
  .object({
    uuid: z.string(),
    tenant_id: z.int().nullable(),
    to: z.array(z.string()),
    cc: z.array(z.string()),
    bcc: z.array(z.string()),
    subject: z.string(),
    notification_type: z.string(),
    status: z.enum(STATUSES),
    provider: z.string().nullable(),
    created_at: instant(),
    sent_at: instant().nullable(),
  })
  .meta({ id: 'EmailLog' })

export const EmailLogDetail = EmailLog.extend({
  body_html: z.string(),
  body_text: z.string(),
  error: z.string().nullable(),
  events: z.array(z.unknown()),
}).meta({ id: 'EmailLogDetail' })

export const emailLogs = listing(platformTable('email_logs'), {
  sorts: ['created_at', 'sent_at', 'subject', 'status'],
  search: ['subject', 'notification_type'],
  hardDeleted: true,
  filters: {
    status: filter.oneOf('status', STATUSES),
    tenant_id: filter.id('tenant_id'),
    notification_type: {
      schema: z.string().max(100),
      where: (_, value, column) => sql`${column('notification_type')} = ${value}`,
    },
  },
})

const columns = [
  'uuid',
  'to',
  'cc',
  'bcc',
  'subject',
  'notification_type',
  'status',
  'provider',
  'created_at',
  'sent_at',
] as const

/** Tenant 0 is the platform itself. */
const tenantId = sql<number | null>`nullif(email_logs.tenant_id, 0)`.as('tenant_id')

export const selectEmailLogs = (ctx: PlatformCtx) => ctx.tx.selectFrom('email_logs').select(columns).select(tenantId)

/** A logged mail with its bodies; 404 for an unknown uuid. */
export async function showEmailLog(ctx: PlatformCtx, uuid: string) {
  const mail = z.uuid().safeParse(uuid).success
    ? await selectEmailLogs(ctx).select(['body_html', 'body_text', 'error', 'events']).where('uuid', '=', uuid).executeTakeFirst()
    : undefined
  if (!mail) throw notFound('There is no such mail.')
  return mail as z.input<typeof EmailLogDetail>
}

/** Sends a logged mail again, attachments included, as a new entry of the log. Returns the new entry. */
export async function resend(ctx: PlatformCtx, uuid: string) {
  await showEmailLog(ctx, uuid)
  const mail = await ctx.tx.selectFrom('email_logs').selectAll().where('uuid', '=', uuid).executeTakeFirstOrThrow()
  const stored = await ctx.tx
    .selectFrom('email_attachments')
    .select(['name', 'mime', 'content', 'drawing'])
    .where('tenant_id', '=', mail.tenant_id)
    .where('email_log_id', '=', mail.id)
    .orderBy('id')
    .execute()
  const attachments = stored.map(({ name, mime, content, drawing }) =>
    content ? { name, mime, content } : { name, mime, drawing: drawing as unknown as Drawing },
  )
  const { notification_type: type, to, cc, bcc, subject, body_html: html, body_text: text, reply_to } = mail
  const sent = await sendMail(
    ctx,
    { type, to, cc, bcc, subject, html, text, attachments, replyTo: reply_to ?? undefined },
    mail.tenant_id,
  )
  return showEmailLog(ctx, sent)
}
