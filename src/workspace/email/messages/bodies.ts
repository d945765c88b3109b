/** The body of a message: fetched from its server when it is first shown, and kept (EML-29). */
import { sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { plainOf, sanitizeHtml } from '#kernel/values/html.ts'
import { serverOf } from '../connections/credentials.ts'
import { type Mailbox, withMailbox } from '../connections/mailbox.ts'
import { decodeText } from './decoding.ts'
import { harmlessHtml } from './display.ts'
import type { MessageRow } from './messages.ts'
import type { Attachment } from './schema.ts'
import type { TextPart } from './structure.ts'
import { unpackWinmail } from './winmail.ts'

/** Of one text part, in bytes. */
const MOST_TEXT = 1 << 20

/** Where a message lies, and whose it is. */
export async function placeOf(ctx: Ctx, message: MessageRow) {
  const account = await ctx.tx
    .selectFrom('email_accounts')
    .selectAll()
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', message.account_id)
    .executeTakeFirstOrThrow()
  const folders = await ctx.tx
    .selectFrom('email_folders')
    .selectAll()
    .where('tenant_id', '=', ctx.tenant.id)
    .where('account_id', '=', message.account_id)
    .execute()
  return { message, account, folder: folders.find(({ id }) => id === message.remote_folder_id), folders }
}
export type Place = Awaited<ReturnType<typeof placeOf>>

/**
 * Opens the folder that a message lies in, and gives its UID; undefined where the message isn't there any more. 409 when its UIDs have become
 * others. A server without UIDPLUS doesn't tell the UID of what was moved: it is looked for by its Message-ID.
 */
export async function openPlace(mailbox: Mailbox, { message, folder }: Place): Promise<number | undefined> {
  if (!folder?.remote_path) return undefined
  const opened = await mailbox.open(folder.remote_path)
  if (!opened) return undefined
  if (message.uid === null) return (await mailbox.uidsOf(message.message_id)).at(-1)
  if (Number(opened.uidValidity) !== folder.uid_validity)
    throw conflict('The folder was made anew on the server. It is synchronised soon; try again then.')
  return (await mailbox.has(message.uid)) ? message.uid : undefined
}

export const needsBody = ({ status, body_html, uid }: MessageRow) => status === 'received' && body_html === null && uid !== null

/** 404 where the server has the message no more. */
export async function fetchBody(steps: WorkspaceSteps, place: Place) {
  const { message, account } = place
  const texts = message.body_parts as unknown as TextPart[]
  const attachments = message.attachments as unknown as Attachment[]
  const { fetched, unpacked } = await withMailbox(steps.services, serverOf(steps.services, account, 'imap'), async (mailbox) => {
    const uid = await openPlace(mailbox, place)
    if (uid === undefined) throw notFound('The message is not on the server any more.')
    const keys = texts.map(({ part }) => part)
    const fetched = keys.length ? (await mailbox.parts([uid], keys, MOST_TEXT)).get(uid) : undefined
    return { fetched: fetched ?? new Map<string, Buffer>(), unpacked: await unpackWinmail(mailbox, uid, attachments) }
  })
  const bodies = await readBodies(texts, fetched)
  const shown = bodies.body_html || bodies.body_text ? bodies : (unpacked?.bodies ?? bodies)
  await steps.write((ctx) => keepBody(ctx, message.id, { ...shown, attachments: unpacked?.attachments ?? attachments }))
}

async function readBodies(texts: TextPart[], fetched: Map<string, Buffer>) {
  const read = async (mime: TextPart['mime'], between: string) => {
    const found = texts.filter((one) => one.mime === mime && fetched.has(one.part))
    return (await Promise.all(found.map((one) => decodeText(one, fetched.get(one.part)!)))).join(between)
  }
  const html = await read('text/html', '<hr>')
  const text = (await read('text/plain', '\n\n')).trim()
  return { body_html: harmlessHtml(html), body_text: text || plainOf(sanitizeHtml(html)) }
}

/** Whoever was first has written it. */
const keepBody = (ctx: Ctx, id: number, { body_html, body_text, attachments }: Kept) =>
  sql`update email_messages set body_html = ${body_html}, body_text = ${body_text}, attachments = ${JSON.stringify(attachments)}::jsonb
    where tenant_id = ${ctx.tenant.id} and id = ${id} and body_html is null`.execute(ctx.tx)
interface Kept {
  body_html: string
  body_text: string
  attachments: Attachment[]
}
