/** Changes messages: flags and moves (EML-18), links to records (EML-30), and deletion (EML-26 … EML-28). */
import { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { referable } from '#kernel/modules/subjects.ts'
import { changesOf, choice, id } from '#kernel/values/fields.ts'
import { changeDraft, DraftFields } from '../compose/drafts.ts'
import { serverOf } from '../connections/credentials.ts'
import { type Mailbox, withMailbox } from '../connections/mailbox.ts'
import { requestSync } from '../sync/jobs.ts'
import { openPlace, type Place } from './content.ts'
import { type MessageRow, messages } from './messages.ts'
import type { Clean } from './sanitising.ts'
import { LINK_TYPES } from './schema.ts'

export const ChangeMessage = changesOf(
  DraftFields.extend({
    is_read: z.boolean(),
    is_starred: z.boolean().describe('Whether it is marked with a star.'),
    folder_uuid: z.uuid('Must be the uuid of a folder.').describe('Uuid of the folder to move it to, of the same mailbox.'),
  }),
)

export async function changeMessage(ctx: Ctx, message: MessageRow, body: Clean<z.output<typeof ChangeMessage>>) {
  const { is_read, is_starred, folder_uuid, ...draft } = body
  let changed = await changeDraft(ctx, message, draft)
  if (folder_uuid !== undefined) changed = await moveMessage(ctx, changed, folder_uuid)
  if (is_read !== undefined || is_starred !== undefined) await setFlags(ctx, changed, { is_read, is_starred })
}

/** Sets flags here; the next synchronisation sends them to the server. */
export async function setFlags(ctx: Ctx, message: MessageRow, flags: { is_read?: boolean; is_starred?: boolean }) {
  const is = { is_read: flags.is_read ?? message.is_read, is_starred: flags.is_starred ?? message.is_starred }
  if (is.is_read === message.is_read && is.is_starred === message.is_starred) return
  await messages.save(ctx, message, { ...is, flags_pending: message.remote_folder_id !== null })
  await requestSync(ctx, message.account_id)
}

/** 422 on `folder_uuid` for a folder of another mailbox or one that isn't on the server, and for messages that are only local. */
export async function moveMessage(ctx: Ctx, message: MessageRow, folderUuid: string): Promise<MessageRow> {
  const folder = await ctx
    .from('email_folders')
    .selectAll()
    .where('account_id', '=', message.account_id)
    .where('uuid', '=', folderUuid)
    .executeTakeFirst()
  if (!folder) throw invalid({ folder_uuid: 'Must be a folder of the mailbox that the message is in.' })
  if (folder.id === message.folder_id) return message
  if (message.remote_folder_id === null)
    throw invalid({ folder_uuid: 'A message that is not on the server yet stays where it is.' })
  if (folder.remote_path === null) throw invalid({ folder_uuid: 'The server does not have this folder.' })
  const moved = await messages.save(ctx, message, { folder_id: folder.id })
  await requestSync(ctx, message.account_id)
  return moved
}

// Deletes messages on their server and here (EML-26 … EML-28).

/** Place of the message afterwards: another folder, with its new UID if the server reports it; or deleted. */
type Removed = { folderId: number; uid: number | undefined } | 'gone'

/** Returns whether it was deleted for good. If the server fails, the message stays: 502. */
export async function removeMessage(steps: WorkspaceSteps, place: Place): Promise<boolean> {
  return settle(steps, place, await removeOnServer(steps, place))
}

async function removeOnServer({ services }: WorkspaceSteps, place: Place): Promise<Removed> {
  refuseWhileSending(place.message)
  if (place.message.remote_folder_id === null) return 'gone' // only local
  return withMailbox(services, serverOf(services, place.account, 'imap'), (mailbox) => removeFrom(mailbox, place))
}

/** Removes a message in an open mailbox: to the Trash, or for good if there is no Trash or the message is in it already. */
export async function removeFrom(mailbox: Mailbox, place: Place): Promise<Removed> {
  const trash = place.folders.find(({ type, remote_path }) => type === 'trash' && remote_path !== null)
  const uid = await openPlace(mailbox, place)
  if (uid === undefined) return 'gone'
  if (!trash || place.folder?.id === trash.id) {
    await mailbox.expunge([uid])
    return 'gone'
  }
  const uids = await mailbox.move([uid], trash.remote_path!)
  return { folderId: trash.id, uid: uids.get(uid) }
}

/** Applies here what was done on the server. */
export async function settle(steps: WorkspaceSteps, { message }: Place, removed: Removed): Promise<boolean> {
  return steps.write(async (ctx) => {
    if (removed === 'gone') {
      await messages.remove(ctx, message)
      return true
    }
    await toTrash(ctx, message, removed)
    return false
  })
}

/** Moves to the Trash. A synchronisation may already have stored the message from there: that duplicate is deleted. */
async function toTrash(ctx: Ctx, { id }: MessageRow, { folderId, uid }: Exclude<Removed, 'gone'>) {
  if (uid !== undefined)
    await ctx
      .deleteFrom('email_messages')
      .where('remote_folder_id', '=', folderId)
      .where('uid', '=', uid)
      .where('id', '!=', id)
      .execute()
  await ctx
    .update('email_messages')
    .set((eb) => ({
      folder_id: folderId,
      remote_folder_id: folderId,
      uid: uid ?? null,
      is_missing: uid === undefined,
      updated_at: ctx.now,
      revision: eb('revision', '+', 1),
    }))
    .where('id', '=', id)
    .execute()
}

/** 422 on `status` while the message is being sent. */
export function refuseWhileSending({ status }: MessageRow) {
  if (status === 'sending') throw invalid({ status: 'The message is being sent at this moment.' })
}

// Links messages to the records they concern (EML-30).

export const LinkBody = z.object({
  linkable_type: choice(LINK_TYPES).describe('The kind of record to link.'),
  linkable_id: id().describe('Id of that record, one that the caller may see.'),
})
/** Without a target, all links are removed. */
export const UnlinkBody = z
  .object({
    linkable_type: choice(LINK_TYPES).optional().describe('The kind of record. Unless sent, with its id: all links.'),
    linkable_id: id().optional().describe('Id of that record.'),
  })
  .default({})
  .superRefine(({ linkable_type, linkable_id }, issues) => {
    if ((linkable_type === undefined) === (linkable_id === undefined)) return
    const path = [linkable_type === undefined ? 'linkable_type' : 'linkable_id']
    issues.addIssue({ code: 'custom', path, message: 'Type and id belong together.' })
  })

const MAX = 100

/** 422 on `linkable_id` if the record doesn't exist or the actor may not see it. */
export async function linkMessage(ctx: Ctx, message: MessageRow, { linkable_type, linkable_id }: z.output<typeof LinkBody>) {
  const found = await referable(ctx, linkable_type, [linkable_id])
  if (!found.has(linkable_id)) throw invalid({ linkable_id: `There is no such ${linkable_type} that you may see.` })
  const { count } = await linksOf(ctx, message)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count >= MAX) throw invalid({ linkable_id: `A message has at most ${MAX} links.` })
  await ctx.tx
    .insertInto('email_message_links')
    .values({ tenant_id: ctx.tenant.id, message_id: message.id, linkable_type, linkable_id, created_at: ctx.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function unlinkMessage(ctx: Ctx, message: MessageRow, { linkable_type, linkable_id }: z.output<typeof UnlinkBody>) {
  const links = ctx.deleteFrom('email_message_links').where('message_id', '=', message.id)
  await (linkable_type && linkable_id
    ? links.where('linkable_type', '=', linkable_type).where('linkable_id', '=', linkable_id)
    : links
  ).execute()
}

const linksOf = (ctx: Ctx, { id }: MessageRow) => ctx.from('email_message_links').where('message_id', '=', id)
