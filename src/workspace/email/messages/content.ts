/**
 * Content that is on the server: the body, fetched when it is first displayed and then stored (EML-29), and attachments, which
 * stay there.
 */
import { finished, Readable } from 'node:stream'
import { sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { conflict, HttpError, notFound } from '#kernel/errors.ts'
import type { FileReply } from '#kernel/http/answer.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { filesOf, isOurFile, storageKeyOf } from '../compose/stored-files.ts'
import { serverOf } from '../connections/credentials.ts'
import { type Mailbox, openMailbox, withMailbox } from '../connections/mailbox.ts'
import { type MessageRow, messages } from './messages.ts'
import type { Body, EncodedPart, readBody } from './read-body.ts'
import type { Attachment } from './schema.ts'
import type { TextPart } from './structure.ts'
import { isInside, unpackOne, unpackWinmail } from './winmail.ts'

/** Returns a message with its account and folders. */
export async function placeOf(ctx: Ctx, message: MessageRow) {
  const account = await ctx.from('email_accounts').selectAll().where('id', '=', message.account_id).executeTakeFirstOrThrow()
  const folders = await ctx.from('email_folders').selectAll().where('account_id', '=', message.account_id).execute()
  return { message, account, folder: folders.find(({ id }) => id === message.remote_folder_id), folders }
}
export type Place = Awaited<ReturnType<typeof placeOf>>

/**
 * Opens the message's folder and returns its UID; undefined if the message no longer exists. 409 if the folder's UIDs have
 * changed. A server without UIDPLUS doesn't report the UID of a moved message: it is found by its Message-ID.
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

/** Whether the body is still to be fetched from the server. */
export const needsBody = ({ status, body_html, uid }: MessageRow) => status === 'received' && body_html === null && uid !== null

/** Maximum bytes of one encoded text part, and of all of them. */
const MAX_PART = 1 << 20
const MAX_PARTS = 2 << 20

const readParts = isolated<typeof readBody>(import.meta.resolve('./read-body.ts'), 'readBody', { seconds: 10, megabytes: 500 })

/** Stored in place of a body whose reader had to be killed, so that it isn't read again. */
const UNREADABLE = "This message can't be shown."

/** Fetches and stores a body. 404 if the server no longer has the message, 503 if too many messages are being read. */
export async function fetchBody(steps: WorkspaceSteps, place: Place) {
  const { message, account } = place
  const attachments = message.attachments as unknown as Attachment[]
  const { parts, unpacked } = await withMailbox(steps.services, serverOf(steps.services, account, 'imap'), async (mailbox) => {
    const uid = await openPlace(mailbox, place)
    if (uid === undefined) throw notFound('The message is not on the server any more.')
    const parts = await fetchTexts(mailbox, uid, message.body_parts as unknown as TextPart[])
    return { parts, unpacked: await unpackWinmail(steps, mailbox, uid, attachments) }
  })
  const body = await readParts(steps.services, steps.tenant.id, parts).catch(unreadable)
  const isEmpty = !body.body_html && !body.body_text
  const kept = { ...((isEmpty && unpacked?.body) || body), attachments: unpacked?.attachments ?? attachments }
  await steps.write((ctx) => keepBody(ctx, message.id, kept))
}

function unreadable(error: unknown): Body {
  if (!isBeyondReading(error)) throw error
  return { body_html: `<p>${UNREADABLE}</p>`, body_text: UNREADABLE }
}

/** Fetches one part after another until the limit is reached. */
async function fetchTexts(mailbox: Mailbox, uid: number, texts: TextPart[]): Promise<EncodedPart[]> {
  const parts: EncodedPart[] = []
  let left = MAX_PARTS
  for (const part of texts) {
    const most = Math.min(MAX_PART, left)
    if (!most) break
    const bytes = (await mailbox.parts([uid], [part.part], most)).get(uid)?.get(part.part)
    if (bytes) parts.push({ part, bytes, isCut: bytes.length >= most })
    left -= bytes?.length ?? 0
  }
  return parts
}

/** Stores the body unless another request already did. */
const keepBody = (ctx: Ctx, id: number, { body_html, body_text, attachments }: Kept) =>
  sql`update email_messages set body_html = ${body_html}, body_text = ${body_text}, attachments = ${JSON.stringify(attachments)}::jsonb
    where tenant_id = ${ctx.tenant.id} and id = ${id} and body_html is null`.execute(ctx.tx)
interface Kept extends Body {
  attachments: Attachment[]
}

/** Type sent for all files, so that browsers treat them as bytes. */
export const FILE_TYPE = 'application/octet-stream'

/** Returns an attachment. Its headers (HEAD) are known here; the server is only contacted for the content. */
export async function downloadAttachment(steps: WorkspaceSteps, uuid: string, part: string): Promise<FileReply> {
  const place = await steps.read(async (ctx) => placeOf(ctx, await messages.find(ctx, uuid)))
  const attachment = (place.message.attachments as unknown as Attachment[]).find(({ id }) => id === part)
  if (!attachment) throw notFound('There is no such attachment.')
  const { name } = attachment
  if (!isOurFile(part)) return { name, type: FILE_TYPE, content: () => contentOf(steps, place, part) }
  const key = storageKeyOf(await steps.read((ctx) => filesOf(ctx, place.message.id)), part)
  if (!key) throw notFound('There is no such attachment.')
  return { name, type: FILE_TYPE, key }
}

/**
 * Lets another module read an attachment of a message that the caller received. Undefined if their own mailboxes don't contain
 * it, or if they may not see e-mail. 404 if the server no longer has it; 502 and 503 as for other requests to the server.
 */
export async function readAttachment<T>(
  steps: WorkspaceSteps,
  { uuid, id }: { uuid: string; id: string },
  use: (file: { name: string; content: AsyncIterable<Buffer> }) => Promise<T>,
): Promise<T | undefined> {
  const found = await steps.read(async (ctx) => {
    if (!ctx.entitled('email') || !ctx.can('email.view')) return undefined
    const message = await messages.find(ctx, uuid).catch(noneWhereMissing)
    const attachment = (message?.attachments as unknown as Attachment[] | undefined)?.find((one) => one.id === id)
    return message?.status === 'received' && attachment
      ? { place: await placeOf(ctx, message), name: attachment.name }
      : undefined
  })
  if (!found) return undefined
  const content = await contentOf(steps, found.place, id)
  const stream = content instanceof Readable ? content : Readable.from([content])
  try {
    return await use({ name: found.name, content: stream })
  } finally {
    stream.destroy() // the unread rest would keep the connection open
  }
}

function noneWhereMissing(error: unknown): undefined {
  if (!(error instanceof HttpError) || error.status !== 404) throw error
}

/** Holds the connection until the stream ends. 404 if the server no longer has the message. */
async function contentOf(steps: WorkspaceSteps, place: Place, part: string): Promise<Readable | Buffer> {
  const { services } = steps
  const mailbox = await openMailbox(services, serverOf(services, place.account, 'imap'), { task: 'download' })
  try {
    const uid = await openPlace(mailbox, place)
    const content =
      uid === undefined ? undefined : await (isInside(part) ? unpackOne(steps, mailbox, uid, part) : mailbox.download(uid, part))
    if (!content) throw notFound('The message is not on the server any more.')
    if (content instanceof Readable) finished(content, () => void mailbox.close())
    else await mailbox.close()
    return content
  } catch (error) {
    await mailbox.close()
    throw error
  }
}
