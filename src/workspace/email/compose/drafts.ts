/**
 * Drafts (EML-19): written and changed here, and appended to the server's drafts folder, if it has one, so that other clients see
 * them.
 */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { email, optionalText } from '#kernel/values/fields.ts'
import { plainOf, sanitizeHtml } from '#kernel/values/html.ts'
import { draftsOf } from '../folders.ts'
import { type MessageRow, messages } from '../messages/messages.ts'
import type { Clean } from '../messages/sanitising.ts'
import type { Attachment, Person } from '../messages/schema.ts'
import { cleanText } from '../messages/structure.ts'
import { requestSync } from '../sync/jobs.ts'

const MAX_PEOPLE = 100
const MAX_BODY = 500_000
/** Maximum characters of a body that are parsed for its snippet. */
const MAX_SNIPPET_HTML = 16_384

/** Maximum length of a recipient given as one text: an address has at most 254 characters, a name 255. */
const MAX_PERSON = 1000

/** A recipient as `ann@example.test`, as `Ann <ann@example.test>`, or as an object of both. */
const person = () =>
  z.preprocess(
    (value, { addIssue }) => {
      if (typeof value !== 'string') return value
      if (value.length <= MAX_PERSON) return namedAddress(value)
      addIssue({ code: 'custom', message: `Must be at most ${MAX_PERSON} characters.` })
      return z.NEVER
    },
    z.object({ email: email(), name: optionalText(255) }, 'Must be an e-mail address.'),
  )

/** Splits `"Ann" <ann@example.test>` into its two parts; a text in any other form is all address. */
function namedAddress(text: string) {
  const trimmed = text.trim()
  const begin = trimmed.lastIndexOf('<')
  const address = trimmed.slice(begin + 1, -1)
  const name = trimmed.slice(0, Math.max(begin, 0)).trim().replace(/^"/, '').replace(/"$/, '')
  const isBoth = begin >= 0 && trimmed.endsWith('>') && address && !/[<>]/.test(address) && !/["<>]/.test(name)
  return isBoth ? { email: address, name: name.trim() } : { email: text, name: '' }
}

const people = () => z.array(person()).max(MAX_PEOPLE, `Must name at most ${MAX_PEOPLE} people.`)

/** A Message-ID, with or without its brackets. */
const messageId = () =>
  z
    .string()
    .trim()
    .max(900, 'Must be at most 900 characters.')
    .regex(/^(<[^<>\s]+>|[^<>\s]*)$/, 'Must be a Message-ID.')
    .transform((id) => (id === '' ? null : id.startsWith('<') ? id : `<${id}>`))
    .nullish()

export const DraftFields = z.object({
  to: people().default([]).describe('Who it is addressed to: addresses, or objects with a name.'),
  cc: people().default([]),
  bcc: people().default([]),
  subject: optionalText(998).meta({ description: 'Subject line.', examples: ['Your quotation'] }),
  body_html: optionalText(MAX_BODY, 'html').meta({
    description: 'Body as HTML; what could do harm is taken out.',
    examples: ['<p>Dear Ann,</p>'],
  }),
  body_text: optionalText(MAX_BODY).meta({
    description: 'Body as plain text. Without it one is made of the HTML.',
    examples: ['Dear Ann,'],
  }),
  in_reply_to: messageId().meta({
    description:
      'The Message-ID of the message that it answers, whose thread it joins. One that isn’t in the mailbox, or not yet, is taken too: the thread begins with it.',
    examples: ['<a1b2c3@mail.example>'],
  }),
  forwards: messageId().meta({ description: 'The Message-ID of a message of the mailbox that this one passes on.' }),
  thread_key: optionalText(998).meta({
    description: '`thread_key` of the conversation that it continues.',
    examples: ['a1b2c3'],
  }),
})

export const Compose = DraftFields.extend({
  account_uuid: z.uuid('Must be the uuid of an account.').meta({ 'x-refers-to': 'email_account' }),
})

type Fields = Partial<Clean<z.output<typeof DraftFields>>>

/** Creates a draft in one of the actor's accounts; 422 on `account_uuid` for any other. */
export async function composeDraft(ctx: Ctx, { account_uuid, ...fields }: Clean<z.output<typeof Compose>>): Promise<MessageRow> {
  const account = await ctx
    .from('email_accounts')
    .selectAll()
    .where('user_id', '=', ctx.actor.id)
    .where('uuid', '=', account_uuid)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  if (!account) throw invalid({ account_uuid: 'There is no such account of yours.' })
  const drafts = await draftsOf(ctx, account.id)
  const message_id = `<${randomUUID()}@${account.email_address.split('@')[1]}>`
  const from: Person = { email: account.email_address, name: account.from_name }
  const draft = await messages.insert(ctx, {
    thread_key: message_id, // unless the message is a reply, or the input has a thread
    ...(await columnsOf(ctx, { account_id: account.id }, fields)),
    append_pending: drafts.remote_path !== null,
    account_id: account.id,
    folder_id: drafts.id,
    status: 'draft',
    message_id,
    from: JSON.stringify(from),
    date: ctx.now,
    is_read: true,
  } as Partial<MessageRow>)
  if (draft.append_pending) await requestSync(ctx, account.id)
  return draft
}

/** Changes a draft; 422 on `status` if the message isn't or is no longer a draft. */
export async function changeDraft(ctx: Ctx, message: MessageRow, fields: Fields): Promise<MessageRow> {
  if (!Object.values(fields).some((value) => value !== undefined)) return message
  refuseUneditable(message)
  return saveDraft(ctx, message, await columnsOf(ctx, message, fields))
}

/** 422 on `status` if the message isn't or is no longer a draft. */
export function refuseUneditable({ status }: MessageRow) {
  if (status !== 'draft' && status !== 'failed') throw invalid({ status: 'Only drafts can be edited.' })
}

/** Saves a draft whose attachments changed. */
export const touchDraft = (ctx: Ctx, message: MessageRow, attachments: Attachment[]) =>
  saveDraft(ctx, message, { attachments: JSON.stringify(attachments) })

async function saveDraft(ctx: Ctx, message: MessageRow, columns: object): Promise<MessageRow> {
  const { remote_path } = await draftsOf(ctx, message.account_id)
  const changes = { ...columns, status: 'draft', error: null, date: ctx.now, append_pending: remote_path !== null }
  const saved = await messages.save(ctx, message, changes as Partial<MessageRow>)
  if (saved.append_pending) await requestSync(ctx, message.account_id)
  return saved
}

async function columnsOf(ctx: Ctx, { account_id }: Pick<MessageRow, 'account_id'>, fields: Fields) {
  const { to, cc, bcc, subject, body_html, body_text, in_reply_to, forwards, thread_key } = fields
  const list = (some: { email: string; name?: string | null }[]) =>
    JSON.stringify(some.map(({ email, name }): Person => ({ email, name: name ? cleanText(name, 255) : null })))
  const text = body_text ?? (body_html ? plainOf(sanitizeHtml(body_html.slice(0, MAX_SNIPPET_HTML))) : undefined)
  return {
    ...(to && { to: list(to) }),
    ...(cc && { cc: list(cc) }),
    ...(bcc && { bcc: list(bcc) }),
    ...(subject !== undefined && { subject: cleanText(subject ?? '', 998) }),
    ...(body_html !== undefined && { body_html }),
    ...(body_text !== undefined && { body_text }),
    ...(text !== undefined && { snippet: cleanText(text.trimStart().slice(0, 1000), 200) }),
    ...(in_reply_to !== undefined && (await threadOf(ctx, account_id, in_reply_to))),
    ...(forwards !== undefined && { forwards }),
    ...(thread_key && { thread_key }),
  }
}

/** Thread of a reply: its parent's thread, and the references of its parent. */
async function threadOf(ctx: Ctx, accountId: number, in_reply_to: string | null) {
  if (in_reply_to === null) return { in_reply_to, reference_ids: [] as string[] }
  const parent = await ctx
    .from('email_messages')
    .select(['thread_key', 'reference_ids'])
    .where('account_id', '=', accountId)
    .where('message_id', '=', in_reply_to)
    .executeTakeFirst()
  const reference_ids = [...(parent?.reference_ids ?? []).slice(-50), in_reply_to]
  return { in_reply_to, reference_ids, thread_key: parent?.thread_key ?? in_reply_to }
}
