/** Deleting messages, on their server and here (EML-26 … EML-28). */
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { serverOf } from '../connections/credentials.ts'
import { type Mailbox, withMailbox } from '../connections/mailbox.ts'
import { openPlace, type Place } from './bodies.ts'
import { type MessageRow, messages } from './messages.ts'

/** Where the message is afterwards: in another folder, by its new UID where the server tells it; or nowhere. */
type Removed = { folderId: number; uid: number | undefined } | 'gone'

/** Whether it was deleted for good. A server that fails is a 502, and the message stays. */
export async function removeMessage(steps: WorkspaceSteps, place: Place): Promise<boolean> {
  return settle(steps, place, await removeOnServer(steps, place))
}

async function removeOnServer({ services }: WorkspaceSteps, place: Place): Promise<Removed> {
  refuseWhileSending(place.message)
  if (place.message.remote_folder_id === null) return 'gone' // only here
  return withMailbox(services, serverOf(services, place.account, 'imap'), (mailbox) => removeFrom(mailbox, place))
}

/** Of a message in an open mailbox: to the Trash, or away where there is none or it is there already. */
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

/** What became of it on the server is written here. */
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

/** A synchronisation may have seen the message in the Trash already: then that one is its double. */
async function toTrash(ctx: Ctx, { id }: MessageRow, { folderId, uid }: Exclude<Removed, 'gone'>) {
  if (uid !== undefined)
    await ctx.tx
      .deleteFrom('email_messages')
      .where('tenant_id', '=', ctx.tenant.id)
      .where('remote_folder_id', '=', folderId)
      .where('uid', '=', uid)
      .where('id', '!=', id)
      .execute()
  await ctx.tx
    .updateTable('email_messages')
    .set((eb) => ({
      folder_id: folderId,
      remote_folder_id: folderId,
      uid: uid ?? null,
      is_missing: uid === undefined,
      updated_at: ctx.now,
      revision: eb('revision', '+', 1),
    }))
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .execute()
}

export function refuseWhileSending({ status }: MessageRow) {
  if (status === 'sending') throw invalid({ status: 'The message is being sent at this moment.' })
}
