/** Flags and moves (EML-18): here at once, on the server by the next synchronisation, which is queued. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { changesOf } from '#kernel/values/fields.ts'
import { changeDraft, DraftFields } from '../compose/drafts.ts'
import { requestSync } from '../sync/jobs.ts'
import { type MessageRow, messages } from './messages.ts'
import type { Clean } from './sanitising.ts'

export const ChangeMessage = changesOf(
  DraftFields.extend({
    is_read: z.boolean(),
    is_starred: z.boolean(),
    folder_uuid: z.uuid('Must be the uuid of a folder.'),
  }),
)

export async function changeMessage(ctx: Ctx, message: MessageRow, body: Clean<z.output<typeof ChangeMessage>>) {
  const { is_read, is_starred, folder_uuid, ...draft } = body
  let changed = await changeDraft(ctx, message, draft)
  if (folder_uuid !== undefined) changed = await moveMessage(ctx, changed, folder_uuid)
  if (is_read !== undefined || is_starred !== undefined) await setFlags(ctx, changed, { is_read, is_starred })
}

export async function setFlags(ctx: Ctx, message: MessageRow, flags: { is_read?: boolean; is_starred?: boolean }) {
  const is = { is_read: flags.is_read ?? message.is_read, is_starred: flags.is_starred ?? message.is_starred }
  if (is.is_read === message.is_read && is.is_starred === message.is_starred) return
  await messages.save(ctx, message, { ...is, flags_pending: message.remote_folder_id !== null })
  await requestSync(ctx, message.account_id)
}

/** 422 on `folder_uuid` for a folder of another mailbox, one that the server doesn't have, and messages that are only here. */
export async function moveMessage(ctx: Ctx, message: MessageRow, folderUuid: string): Promise<MessageRow> {
  const folder = await ctx.tx
    .selectFrom('email_folders')
    .selectAll()
    .where('tenant_id', '=', ctx.tenant.id)
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
