/**
 * Pushes local changes to the server: flags, moves, sent messages, drafts. Pending changes are the difference between the folder
 * that a message is shown in and its folder on the server, so repeating them has no effect.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { mimeOf } from '../compose/mime.ts'
import { filesOf } from '../compose/stored-files.ts'
import { failureOf, unlessRefused } from '../connections/failures.ts'
import type { Connection, Mailbox } from '../connections/mailbox.ts'
import type { FolderRow } from '../folders.ts'
import type { MessageRow } from '../messages/messages.ts'
import type { Lease } from './lease.ts'

/** Messages processed at a time. */
const BATCH = 200

/** Returns whether there was anything to push: another folder may then be open. */
export async function pushChanges(turn: Lease, { mailbox }: Connection): Promise<boolean> {
  const { pending, folders } = await turn.steps.read((ctx) => toPush(ctx, turn.account.id))
  const folderOf = (id: number | null) => folders.find((one) => one.id === id)
  const placed = pending.filter(({ uid }) => uid !== null)
  for (const [id, messages] of Map.groupBy(placed, ({ remote_folder_id }) => remote_folder_id)) {
    const folder = folderOf(id)
    if (!folder || !(await opens(mailbox, folder))) continue // this synchronisation searches for its messages
    await pushFlags(
      turn,
      mailbox,
      messages.filter(({ flags_pending }) => flags_pending),
    )
    const moving = messages.filter(({ folder_id }) => folder_id !== id)
    for (const [target, some] of Map.groupBy(moving, ({ folder_id }) => folder_id))
      await pushMoves(turn, mailbox, some, folderOf(target))
  }
  for (const message of pending)
    if (message.append_pending) await (message.status === 'draft' ? pushDraft : pushSent)(turn, mailbox, message, folders)
  turn.isChanged ||= pending.length > 0
  return pending.length > 0
}

async function toPush(ctx: Ctx, accountId: number) {
  const pending = await ctx
    .from('email_messages')
    .selectAll()
    .where('account_id', '=', accountId)
    .where((eb) =>
      eb.or([
        eb.and([
          eb('uid', 'is not', null),
          eb.or([eb('flags_pending', '=', true), eb('folder_id', '!=', eb.ref('remote_folder_id'))]),
        ]),
        eb.and([eb('append_pending', '=', true), eb('status', 'in', ['draft', 'sent'])]),
      ]),
    )
    .orderBy('id')
    .limit(BATCH)
    .execute()
  const folders = pending.length ? await ctx.from('email_folders').selectAll().where('account_id', '=', accountId).execute() : []
  return { pending, folders }
}

/** Changes in a folder that was replaced, or that the server doesn't open, wait for the next synchronisation. */
async function opens(mailbox: Mailbox, { remote_path, uid_validity }: FolderRow) {
  const opened = remote_path === null ? undefined : await unlessRefused(mailbox.open(remote_path))
  return opened !== undefined && Number(opened.uidValidity) === uid_validity
}

async function pushFlags(turn: Lease, mailbox: Mailbox, messages: MessageRow[]) {
  const flagsOf = ({ is_read, is_starred, is_answered, is_forwarded }: MessageRow) =>
    [is_read, is_starred, is_answered, is_forwarded].join(' ')
  for (const [, same] of Map.groupBy(messages, flagsOf)) {
    const uids = same.map(({ uid }) => uid!)
    const { is_read, is_starred, is_answered, is_forwarded } = same[0]!
    await mailbox.setFlag(uids, '\\Seen', is_read)
    await mailbox.setFlag(uids, '\\Flagged', is_starred)
    if (is_answered) await mailbox.mark(uids, '\\Answered')
    if (is_forwarded) await mailbox.mark(uids, '$Forwarded')
    const ids = same.map(({ id }) => id)
    // Changes made in the meantime are pushed again.
    await turn.commit((ctx) =>
      sql`update email_messages set flags_pending = false where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[])
        and is_read = ${is_read} and is_starred = ${is_starred} and is_answered = ${is_answered} and is_forwarded = ${is_forwarded}`.execute(
        ctx.tx,
      ),
    )
  }
}

/**
 * The server reports the new UIDs if it can. A message without one was moved by another client, or by us before the worker was
 * killed: it is searched for in every folder by its Message-ID, and deleted if none has it.
 */
async function pushMoves(turn: Lease, mailbox: Mailbox, messages: MessageRow[], target: FolderRow | undefined) {
  if (!target?.remote_path) return
  const uids = await mailbox.move(
    messages.map(({ uid }) => uid!),
    target.remote_path,
  )
  const moved = messages.map(({ id, uid }) => ({ id, uid: uids.get(uid!) ?? null }))
  await turn.commit(async (ctx) => {
    await forgetDoubles(
      ctx,
      target.id,
      moved.flatMap(({ uid }) => uid ?? []),
    )
    await sql`
      update email_messages m set remote_folder_id = ${target.id}, uid = pair.uid, is_missing = pair.uid is null
      from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) as pair (id bigint, uid bigint)
      where m.tenant_id = ${ctx.tenant.id} and m.id = pair.id`.execute(ctx.tx)
  })
}

const filesFor = (turn: Lease, { id }: MessageRow) => turn.steps.read((ctx) => filesOf(ctx, id))

/**
 * Appended to Sent once: a server that does so itself, or a worker that was killed afterwards, has already done it. Its draft is
 * deleted.
 */
async function pushSent(turn: Lease, mailbox: Mailbox, message: MessageRow, folders: FolderRow[]) {
  const folder = folders.find(({ id }) => id === message.folder_id)
  const drafts = folders.find(({ type, remote_path }) => type === 'drafts' && remote_path !== null)
  let place: { remote_folder_id: number; uid: number | null } | undefined
  if (folder && folder.type !== 'drafts' && folder.remote_path !== null) {
    if (!(await opens(mailbox, folder))) return
    const there = (await mailbox.uidsOf(message.message_id))[0]
    const mime = async () => mimeOf(turn.steps.services, message, await filesFor(turn, message), { keepBcc: true })
    const uid = there ?? (await mailbox.append(folder.remote_path, await mime(), message.date, ['\\Seen']))
    if (uid === 'refused') throw failureOf('imap', {}) // retried later
    place = { remote_folder_id: folder.id, uid: uid ?? null }
  }
  if (drafts && (await opens(mailbox, drafts))) {
    const written = await mailbox.uidsOf(message.message_id)
    if (written.length) await mailbox.expunge(written)
  }
  await turn.commit(async (ctx) => {
    if (place?.uid != null) await forgetDoubles(ctx, place.remote_folder_id, [place.uid])
    await ctx
      .update('email_messages')
      .set({ append_pending: false, ...place })
      .where('id', '=', message.id)
      .execute()
  })
}

/**
 * Appends a draft to the drafts folder, then deletes its previous copy. In this order, so that a worker killed in between leaves
 * two copies and never none; the next one replaces both.
 */
async function pushDraft(turn: Lease, mailbox: Mailbox, message: MessageRow, folders: FolderRow[]) {
  const folder = folders.find(({ type, remote_path }) => type === 'drafts' && remote_path !== null)
  if (!folder || !(await opens(mailbox, folder))) return
  const before = await mailbox.uidsOf(message.message_id)
  const mime = await mimeOf(turn.steps.services, message, await filesFor(turn, message), { keepBcc: true }).catch(() => undefined)
  const told = mime && (await mailbox.append(folder.remote_path!, mime, message.date, ['\\Seen', '\\Draft']))
  if (!mime || told === 'refused') return keepHere(turn, message)
  const uid = told ?? (await mailbox.uidsOf(message.message_id)).findLast((one) => !before.includes(one))
  if (before.length) await mailbox.expunge(before)
  await turn.commit(async (ctx) => {
    if (uid !== undefined) await forgetDoubles(ctx, folder.id, [uid], message.id)
    // Changes made in the meantime are appended again.
    await sql`
      update email_messages set folder_id = ${folder.id}, remote_folder_id = ${folder.id}, uid = ${uid ?? null}, is_missing = false,
        size_bytes = ${mime.length}, append_pending = revision <> ${message.revision}
      where tenant_id = ${ctx.tenant.id} and id = ${message.id} and status in ('draft', 'failed')`.execute(ctx.tx)
  })
}

/**
 * A draft that can't be composed, or is too large for the server, must not stop the synchronisation: it stays local until it is
 * changed.
 */
const keepHere = (turn: Lease, { id, revision }: MessageRow) =>
  turn.commit(async (ctx) => {
    const draft = ctx.update('email_messages').set({ append_pending: false })
    await draft.where('id', '=', id).where('revision', '=', revision).execute()
  })

/** Deletes rows that an earlier synchronisation created for a message that turned out to belong to another row. */
const forgetDoubles = (ctx: Ctx, folderId: number, uids: number[], but = 0) =>
  sql`delete from email_messages
    where tenant_id = ${ctx.tenant.id} and remote_folder_id = ${folderId} and uid = any(${uids}::bigint[]) and id <> ${but}`.execute(
    ctx.tx,
  )
