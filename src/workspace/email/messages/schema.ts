import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { computed, extended, view } from '#kernel/records/view.ts'
import { choice, formatted, hardStamps, instant, longText } from '#kernel/values/fields.ts'

export const STATUSES = ['received', 'draft', 'queued', 'sending', 'sent', 'failed'] as const
export const LINK_TYPES = ['lead', 'contact', 'company', 'opportunity'] as const

/** A person in a header. */
export const Person = z.object({ email: z.string(), name: z.string().nullable() }).meta({ id: 'EmailPerson' })
export type Person = z.output<typeof Person>
/** Maximum people of each header of a received message: more than a draft may have in all. */
export const MAX_PEOPLE = 1000

/**
 * `id` is the server's name of the message part; `2~0` is the first file inside part 2, see winmail.ts; `file-7` is a stored
 * file.
 */
export const Attachment = z
  .object({
    id: z.string().meta({
      description: 'What the server calls this part of the message; attachments are downloaded by it.',
      examples: ['2'],
    }),
    name: z.string().meta({ description: 'Name of the file.', examples: ['Offer.pdf'] }),
    mime: z.string(),
    size_bytes: z.int(),
    is_inline: z.boolean().describe('Whether the body shows it itself, as a picture.'),
    content_id: z
      .string()
      .nullable()
      .meta({ description: 'What the body calls it (`cid:`); null: nothing.', examples: ['logo@nordwind.example'] }),
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

/** Records linked to a message that the reader may see. */
const links = () =>
  computed(
    z.array(
      z.object({
        linkable_type: choice(LINK_TYPES).describe('The kind of record that is linked.'),
        linkable_id: z.int().meta({ description: 'Id of that record.', examples: [5] }),
        label: z.string(),
      }),
    ),
    ({ ctx, table }) => {
      const seen = LINK_TYPES.flatMap((type) => linksOf(ctx, table, type))
      if (!seen.length) return sql`'[]'::json`
      return sql`(select coalesce(json_agg(seen), '[]') from (${sql.join(seen, sql` union all `)}) seen)`
    },
  )

function linksOf(ctx: Ctx, table: string, type: (typeof LINK_TYPES)[number]): RawBuilder<unknown>[] {
  const subject = subjectOf(ctx, type)
  if (!subject?.entitled(ctx) || !subject.viewable(ctx)) return []
  return [
    sql`select l.linkable_type, l.linkable_id, ${sql.ref(`s.${subject.title}`)}::text as label
      from email_message_links l join ${sql.table(subject.table)} s on s.tenant_id = ${ctx.tenant.id} and s.id = l.linkable_id
      where l.tenant_id = ${ctx.tenant.id} and l.message_id = ${sql.ref(`${table}.id`)} and l.linkable_type = ${type}
        and s.deleted_at is null and ${subject.visible(ctx, 's') ?? sql`true`}`,
  ]
}

/** A message in lists (EML-14). */
export const MessageItem = view('email_messages', 'EmailMessageItem', {
  uuid: z.string(),
  account_uuid: uuidOf('email_accounts', 'account_id').meta({
    description: 'Uuid of the mailbox that the message is in.',
    examples: ['0198f0c2-5b1e-7c3a-9d4f-2a6b8c0d1e2f'],
  }),
  folder_uuid: uuidOf('email_folders', 'folder_id').meta({
    description: 'Uuid of the folder that the message is in.',
    examples: ['0198f0c2-5b1e-7c3a-9d4f-2a6b8c0d1e2f'],
  }),
  status: choice(STATUSES).describe('Where it stands: received, a draft, or on its way out.'),
  error: z
    .string()
    .nullable()
    .describe(
      'Why it was not sent, or not yet: of a message that is `queued`, what the server said at the last try; of one that is `sent`, for whom the server did not take it.',
    ),
  subject: longText().meta({ description: 'Subject line.', examples: ['Your quotation'] }),
  from: Person.nullable().describe('Who sent it; null: nobody is named.'),
  to: z.array(Person).describe(`Who it is addressed to. Of a received message the first ${MAX_PEOPLE} at most, as of \`cc\`.`),
  cc: z.array(Person),
  bcc: z.array(Person).describe('Who gets a copy without the others seeing it; known of own messages only.'),
  date: instant().describe('When it was sent, as its header says; of a draft when it was last written.'),
  snippet: z.string().meta({ description: 'The first words of the text.', examples: ['Dear Ann, thank you for…'] }),
  is_read: z.boolean().describe('Whether it was read (`\\Seen` on the server).'),
  is_starred: z.boolean().describe('Whether it is marked with a star (`\\Flagged` on the server).'),
  is_answered: z.boolean().describe('Whether it was answered (`\\Answered` on the server).'),
  is_forwarded: z.boolean().describe('Whether it was passed on (`$Forwarded` on the server).'),
  size_bytes: z.int(),
  thread_key: z.string().meta({ description: 'The same for all messages of a conversation.', examples: ['a1b2c3'] }),
  attachments: z.array(Attachment).describe('Files that came with it.'),
  labels: labels().describe('The labels that it has.'),
  ...hardStamps,
})

/** EML-29: an empty `body_html` means that the message has no such part, null that it was never fetched. */
export const Message = extended(MessageItem, 'EmailMessage', {
  message_id: z
    .string()
    .meta({ description: 'Its Message-ID header, by which answers refer to it.', examples: ['<4711@nordwind.example>'] }),
  in_reply_to: z
    .string()
    .nullable()
    .meta({ description: 'Message-ID of the message that it answers; null: none.', examples: ['<4710@nordwind.example>'] }),
  forwards: z
    .string()
    .nullable()
    .meta({ description: 'Message-ID of the message that it passes on; null: none.', examples: ['<4709@nordwind.example>'] }),
  reply_to: z.array(Person).describe('Where answers go, if not to `from`.'),
  body_html: formatted('html')
    .nullable()
    .describe('Sanitised. Remote images wait in `data-remote-src`, unless `remote_images` asks for them.'),
  body_text: z
    .string()
    .nullable()
    .meta({
      description: 'Body as plain text; null: it has none, or it was not fetched yet.',
      examples: ['Dear Ann, thank you for your order.'],
    }),
  links: links().describe('The records that it is linked to, as far as the caller may see them.'),
})
