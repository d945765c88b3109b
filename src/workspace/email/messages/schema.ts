import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { computed, extended, view } from '#kernel/records/view.ts'
import { choice, formatted, hardStamps, instant, longText } from '#kernel/values/fields.ts'

export const STATUSES = ['received', 'draft', 'queued', 'sending', 'sent', 'failed'] as const
export const LINK_TYPES = ['lead', 'contact', 'company', 'opportunity'] as const

/** Somebody in a header. */
export const Person = z.object({ email: z.string(), name: z.string().nullable() }).meta({ id: 'EmailPerson' })
export type Person = z.output<typeof Person>

/** `id` is what the server calls the part of the message; `2~0` is the first file inside part 2, see winmail.ts; `file-7` one that is here. */
export const Attachment = z
  .object({
    id: z.string(),
    name: z.string(),
    mime: z.string(),
    size_bytes: z.int(),
    is_inline: z.boolean(),
    content_id: z.string().nullable(),
  })
  .meta({ id: 'EmailAttachment' })
export type Attachment = z.output<typeof Attachment>

const uuidOf = (table: 'email_accounts' | 'email_folders', column: 'account_id' | 'folder_id') =>
  computed(
    z.string(),
    ({ ctx, table: of }) =>
      sql`(select uuid from ${sql.table(table)} o where o.tenant_id = ${ctx.tenant.id} and o.id = ${sql.ref(`${of}.${column}`)})`,
    [column],
  )

const labels = () =>
  computed(
    z.array(z.object({ uuid: z.string(), name: z.string(), color: z.string().nullable() })),
    ({ ctx, table }) => sql`(
      select coalesce(json_agg(json_build_object('uuid', l.uuid, 'name', l.name, 'color', l.color) order by l.sort_order, l.name), '[]')
      from email_message_labels ml join email_labels l on l.tenant_id = ${ctx.tenant.id} and l.id = ml.label_id
      where ml.tenant_id = ${ctx.tenant.id} and ml.message_id = ${sql.ref(`${table}.id`)})`,
  )

/** What a message is linked to, as far as the reader may see it. */
const links = () =>
  computed(
    z.array(z.object({ linkable_type: choice(LINK_TYPES), linkable_id: z.int(), label: z.string() })),
    ({ ctx, table }) => {
      const seen = LINK_TYPES.flatMap((type) => linksOf(ctx, table, type))
      if (!seen.length) return sql`'[]'::json`
      return sql`(select coalesce(json_agg(seen), '[]') from (${sql.join(seen, sql` union all `)}) seen)`
    },
  )

function linksOf(ctx: Ctx, table: string, type: (typeof LINK_TYPES)[number]): RawBuilder<unknown>[] {
  const subject = subjectOf(ctx, type)
  if (!subject?.entitled(ctx) || !ctx.can(subject.of.may('view'))) return []
  return [
    sql`select l.linkable_type, l.linkable_id, ${sql.ref(`s.${subject.title}`)}::text as label
      from email_message_links l join ${sql.table(subject.table)} s on s.tenant_id = ${ctx.tenant.id} and s.id = l.linkable_id
      where l.tenant_id = ${ctx.tenant.id} and l.message_id = ${sql.ref(`${table}.id`)} and l.linkable_type = ${type}
        and s.deleted_at is null and ${subject.visible(ctx, 's') ?? sql`true`}`,
  ]
}

/** EML-14 */
export const MessageItem = view('email_messages', 'EmailMessageItem', {
  uuid: z.string(),
  account_uuid: uuidOf('email_accounts', 'account_id'),
  folder_uuid: uuidOf('email_folders', 'folder_id'),
  status: choice(STATUSES),
  error: z.string().nullable().describe('Why it was not sent.'),
  subject: longText(),
  from: Person.nullable(),
  to: z.array(Person),
  cc: z.array(Person),
  bcc: z.array(Person),
  date: instant(),
  snippet: z.string(),
  is_read: z.boolean(),
  is_starred: z.boolean(),
  is_answered: z.boolean(),
  is_forwarded: z.boolean(),
  size_bytes: z.int(),
  thread_key: z.string(),
  attachments: z.array(Attachment),
  labels: labels(),
  ...hardStamps,
})

/** EML-29: an empty `body_html` says that there is no such part, null that it was never fetched. */
export const Message = extended(MessageItem, 'EmailMessage', {
  message_id: z.string(),
  in_reply_to: z.string().nullable(),
  forwards: z.string().nullable(),
  reply_to: z.array(Person),
  body_html: formatted('html')
    .nullable()
    .describe('Sanitised. Remote images wait in `data-remote-src`, unless `remote_images` asks for them.'),
  body_text: z.string().nullable(),
  links: links(),
})
