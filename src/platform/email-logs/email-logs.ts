/** Log of outgoing mail of all workspaces. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import { isAccountMail } from '#kernel/mail/pace.ts'
import { unseal } from '#kernel/mail/sealed.ts'
import { keepsMails } from '#kernel/mail/transport.ts'
import { mailEvents } from '#kernel/modules/declared-settings.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { computed, extended, readOne, view } from '#kernel/records/view.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { choice, coded, instant } from '#kernel/values/fields.ts'
import { SUPERADMIN } from '#platform/roles/public.ts'
import { tenantIfAny } from '#platform/tenants/public.ts'
import { mailKinds, providers } from './kinds.ts'

const STATUSES = ['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'] as const

/** Id of the workspace; tenant 0 is the platform itself. */
const tenantId = computed(z.int().nullable(), ({ table }) => sql`nullif(${sql.ref(`${table}.tenant_id`)}, 0)`)

export const EmailLog = view('email_logs', 'EmailLog', {
  uuid: z.string(),
  tenant_id: tenantId,
  tenant: tenantIfAny().describe('The workspace, shown in short; null: the platform itself.'),
  to: z.array(z.string()),
  cc: z.array(z.string()),
  bcc: z.array(z.string()),
  subject: z.string(),
  notification_type: coded(
    z.string().meta({ description: 'What kind of mail it is.', examples: ['customer_invoice.emailed'] }),
    mailKinds,
  ),
  status: choice(STATUSES).describe('The heaviest thing that is known of it: sent, failed, delivered, bounced, complained.'),
  display_status: computed(
    coded(choice([...STATUSES, 'kept']).describe('The status; kept for a mail that counts as sent, but that nobody delivers.'), {
      kept: 'Kept, not sent',
    }),
    ({ table }) => {
      const [status, provider] = [sql.ref(`${table}.status`), sql.ref(`${table}.provider`)]
      return sql`case when ${status} = 'sent' and ${provider} = 'log' then 'kept' else ${status} end`
    },
  ),
  provider: coded(
    z
      .string()
      .nullable()
      .meta({ description: 'Who delivered it; `log`: nobody, it is kept here. null: not yet.', examples: ['smtp'] }),
    providers,
  ),
  created_at: instant(),
  sent_at: instant().nullable().describe('When the provider took it; null: not yet.'),
})

const Event = z
  .object({
    type: choice(mailEvents).describe('What the provider told.'),
    recipient: z
      .string()
      .nullable()
      .meta({ description: 'About whom; null: about all.', examples: ['ann@nordwind.example'] }),
    permanent: z.boolean().meta({ description: 'A hard bounce: the address takes no mail.' }),
    detail: z
      .string()
      .nullable()
      .meta({ description: 'In the provider’s words; null: none.', examples: ['Mailbox full'] }),
    occurred_at: instant().describe('When it happened, as the provider says.'),
  })
  .meta({ id: 'EmailEvent' })

/** Provider's events of a mail, newest first. */
const events = computed(
  z.array(Event),
  ({ table }) => sql`(
    select coalesce(json_agg(json_build_object('type', e.type, 'recipient', e.recipient, 'permanent', e.permanent,
      'detail', e.detail, 'occurred_at', app.iso(e.occurred_at)) order by e.occurred_at desc, e.event_key), '[]'::json)
    from (select * from email_events where tenant_id = ${sql.ref(`${table}.tenant_id`)} and email_log_id = ${sql.ref(`${table}.id`)}
      order by occurred_at desc limit 100) e)`,
)

export const EmailLogDetail = extended(EmailLog, 'EmailLogDetail', {
  body_html: z.string().meta({ description: 'The mail as HTML. Secrets in it are masked.', examples: ['<p>Dear Ann,</p>'] }),
  body_text: z.string().meta({ description: 'The mail as plain text. Secrets in it are masked.', examples: ['Dear Ann,'] }),
  error: z
    .string()
    .nullable()
    .meta({ description: 'Why it was not sent; null: nothing went wrong.', examples: ['The server refused the sender.'] }),
  open_count: z.int().meta({ description: 'How often it was opened, as far as the provider tells.', examples: [1] }),
  click_count: z.int().meta({ description: 'How often a link in it was followed, as far as the provider tells.', examples: [0] }),
  events: events.describe('What the provider told of it, the newest first.'),
})

export const emailLogs = listing(platformTable('email_logs', EmailLog), {
  sorts: ['created_at', 'sent_at', 'subject', 'status'],
  search: ['subject', 'notification_type', 'to'],
  hardDeleted: true,
  filters: {
    status: filter.oneOf('status', STATUSES),
    tenant_id: filter.id('tenant_id'),
    notification_type: filter.text('notification_type', mailKinds),
  },
})

/** Returns a logged mail with its bodies. 404 for an unknown uuid. */
const showEmailLog = (ctx: PlatformCtx, uuid: string) =>
  readOne(ctx, EmailLogDetail, 'email_logs', sql`email_logs.uuid = ${uuid}`, { noun: 'mail' })

const read = (ctx: PlatformCtx, uuid: string) =>
  ctx.tx.selectFrom('email_logs').selectAll().where('uuid', '=', uuid).executeTakeFirstOrThrow()

/**
 * Returns a logged mail. If mails are only logged and not sent, a superadmin in person sees its secrets, because they can't be
 * read elsewhere. Each such access is recorded in the audit log of the mail's workspace or of the platform. API keys never see
 * them, because links in such mails open accounts.
 */
export async function readEmailLog(ctx: PlatformCtx, uuid: string) {
  const shown = await showEmailLog(ctx, uuid)
  const { roles, key } = ctx.actor
  if (key || !roles.includes(SUPERADMIN) || !(await keepsMails(ctx))) return shown
  const { id, tenant_id, sealed } = await read(ctx, uuid)
  const whole = unseal(ctx.services, sealed)
  if (!whole) return shown
  await audit(ctx, 'secret_mail_read', { email_log_id: id, uuid }, tenant_id)
  return { ...JSON.parse(shown.text), body_html: whole.html, body_text: whole.text }
}

/**
 * Sends a logged mail again, with attachments, as a new log entry. Returns the entry. 422 on `email_log` if it contained a
 * secret, which must be requested again.
 */
export async function resend(ctx: PlatformCtx, uuid: string) {
  await showEmailLog(ctx, uuid)
  const mail = await read(ctx, uuid)
  if (mail.sealed || isAccountMail(mail.notification_type))
    throw invalid({ email_log: 'This mail carried a secret and is not kept. Have a new one sent where it was asked for.' })
  const stored = await ctx.tx
    .selectFrom('email_attachments')
    .select(['name', 'mime', 'content', 'drawing'])
    .where('tenant_id', '=', mail.tenant_id)
    .where('email_log_id', '=', mail.id)
    .orderBy('id')
    .execute()
  const attachments = stored.map(({ name, mime, content, drawing }) =>
    content ? { name, mime, content } : { name, mime, drawing: drawing as unknown as PdfSpec },
  )
  const { notification_type: type, to, cc, bcc, subject, body_html: html, body_text: text, reply_to, sent_by, ...more } = mail
  const sent = await sendMail(
    ctx,
    {
      ...{ type, to, cc, bcc, subject, html, text, attachments, replyTo: reply_to ?? undefined, sentBy: sent_by },
      ...{ from: more.from_name ?? undefined, automatic: more.is_automatic, unsubscribeUrl: more.unsubscribe_url ?? undefined },
    },
    mail.tenant_id,
  )
  return showEmailLog(ctx, sent)
}
