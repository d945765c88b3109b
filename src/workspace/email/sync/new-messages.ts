/** Fetches new messages of a folder from the cursor onwards, in batches, assigns their threads, and stores them. */
import { sql } from 'kysely'
import { type Ctx, savepoint } from '#kernel/context.ts'
import { violationOf } from '#kernel/database/violations.ts'
import { Unreadable } from '../connections/failures.ts'
import type { Connection, Mailbox } from '../connections/mailbox.ts'
import type { FolderRow } from '../folders.ts'
import type { Remote } from './folder-list.ts'
import type { Lease } from './lease.ts'
import { addSnippets, type Head, headOf } from './message-columns.ts'
import { pushChanges } from './push.ts'

// Threads: by References, then by In-Reply-To. The key of a thread is the Message-ID of its first message, as far as known.

/**
 * Returns the thread of each message by its Message-ID. If a message joins two threads, because replies arrived before their
 * original, the stored messages of the later thread move to the other.
 */
async function threadsOf(ctx: Ctx, accountId: number, heads: Head[]): Promise<Map<string, string>> {
  const named = [
    ...new Set(
      heads.flatMap(({ message_id, reference_ids, in_reply_to }) => [
        message_id,
        ...reference_ids,
        ...(in_reply_to ? [in_reply_to] : []),
      ]),
    ),
  ]
  const stored = await ctx
    .from('email_messages')
    .select(['message_id', 'thread_key'])
    .where('account_id', '=', accountId)
    .where('message_id', '=', sql<string>`any(${named})`)
    .execute()
  const keys = new Map(stored.map(({ message_id, thread_key }) => [message_id, thread_key]))
  const joined = new Map<string, string>()
  const current = (key: string): string => (joined.has(key) ? current(joined.get(key)!) : key)
  for (const { message_id, reference_ids, in_reply_to } of heads) {
    const before = in_reply_to ? [...reference_ids, in_reply_to] : reference_ids
    const found =
      before.map((id) => keys.get(id)).find((key) => key !== undefined) ?? keys.get(message_id) ?? before[0] ?? message_id
    const key = current(found)
    keys.set(message_id, key)
    if (key !== message_id) joined.set(message_id, key)
  }
  await join(ctx, accountId, joined)
  return new Map([...keys].map(([id, key]) => [id, current(key)]))
}

async function join(ctx: Ctx, accountId: number, joined: Map<string, string>) {
  if (!joined.size) return
  const pairs = JSON.stringify([...joined].map(([before, after]) => ({ before, after })))
  await sql`
    update email_messages m set thread_key = pair.after from jsonb_to_recordset(${pairs}::jsonb) as pair (before text, after text)
    where m.tenant_id = ${ctx.tenant.id} and m.account_id = ${accountId} and m.thread_key = pair.before`.execute(ctx.tx)
}

// A batch of messages and the cursor after it, stored in one transaction: a killed worker loses only the current batch, and no
// message is stored twice.

interface Batch {
  heads: Head[]
  /** Messages that could not be read, with the reason. */
  unreadable: { uid: number; reason: string }[]
  /** Every UID up to here has been processed. */
  upTo: number
}

async function storeBatch(turn: Lease, folder: FolderRow, batch: Batch) {
  try {
    await turn.commit((ctx) => write(ctx, folder, batch))
  } catch (error) {
    if (!isAboutValues(error)) throw error
    await turn.commit((ctx) => writeSingly(ctx, folder, batch))
  }
  turn.stored += batch.heads.length
  turn.isChanged ||= batch.heads.length > 0
}

/** PostgreSQL rejects a value in a message: classes 22 (data), 23 (constraints) and 54 (limits). */
const isAboutValues = (error: unknown) =>
  violationOf(error) !== undefined || /^(22|23|54)/.test(String((error as { code?: unknown }).code ?? ''))

async function write(ctx: Ctx, folder: FolderRow, { heads, unreadable, upTo }: Batch) {
  const threads = await threadsOf(ctx, folder.account_id, heads)
  const rows = heads.map((head) => ({ ...head, thread_key: threads.get(head.message_id) }))
  const adopted = await adopt(ctx, folder, rows)
  await insert(
    ctx,
    folder,
    rows.filter(({ uid }) => !adopted.has(uid)),
  )
  if (unreadable.length)
    await ctx.tx
      .insertInto('email_quarantine')
      .values(unreadable.map((one) => ({ ...one, tenant_id: ctx.tenant.id, folder_id: folder.id, created_at: ctx.now })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  await ctx.update('email_folders').set({ last_uid: upTo }).where('id', '=', folder.id).where('last_uid', '<', upTo).execute()
}

/** Stores messages one by one; rejected ones go into quarantine. */
async function writeSingly(ctx: Ctx, folder: FolderRow, { heads, unreadable, upTo }: Batch) {
  const refused = [...unreadable]
  for (const head of heads)
    await savepoint(ctx, (within) => write(within, folder, { heads: [head], unreadable: [], upTo: 0 })).catch((error) => {
      if (!isAboutValues(error)) throw error
      ctx.log.warn({ code: error.code, folder: folder.id, uid: head.uid }, 'a message of a mailbox could not be stored')
      refused.push({ uid: head.uid, reason: 'It has something in it that can not be stored.' })
    })
  await write(ctx, folder, { heads: [], unreadable: refused, upTo })
}

type Threaded = Head & { thread_key: string | undefined }

/**
 * Matches stored messages that are found again: moved on the server, in a recreated folder, or appended to Sent by us. They keep
 * their uuid, labels and links. One row per message, the oldest first. A message whose UID is already stored in this folder needs
 * no other row: appending to Sent may have left a draft of the same Message-ID missing.
 */
async function adopt(ctx: Ctx, folder: FolderRow, heads: Threaded[]): Promise<Set<number>> {
  const candidates = await ctx
    .from('email_messages')
    .select(['id', 'message_id', 'status', 'size_bytes'])
    .where('account_id', '=', folder.account_id)
    .where('message_id', '=', sql<string>`any(${heads.map(({ message_id }) => message_id)})`)
    .where('uid', 'is', null)
    .where((eb) => eb.or([eb('is_missing', '=', true), eb.and([eb('status', '=', 'sent'), eb('folder_id', '=', folder.id)])]))
    .orderBy('id')
    .execute()
  if (!candidates.length) return new Set()
  const placed = await placedIn(ctx, folder, heads)
  const waiting = Map.groupBy(candidates, ({ message_id }) => message_id)
  const pairs = heads.flatMap(({ message_id, ...head }) => {
    if (placed.has(head.uid)) return []
    const row = waiting.get(message_id)?.shift()
    // A draft that another client has changed counts as another message: the stored one is out of date.
    if (!row || (row.status === 'draft' && row.size_bytes !== head.size_bytes)) return []
    const { uid, is_read, is_starred, is_answered, is_forwarded, body_parts, attachments } = head
    return [{ id: row.id, uid, is_read, is_starred, is_answered, is_forwarded, body_parts, attachments }]
  })
  if (!pairs.length) return new Set()
  await sql`
    update email_messages m set
      folder_id = case when m.folder_id = m.remote_folder_id then ${folder.id} else m.folder_id end,
      remote_folder_id = ${folder.id}, uid = pair.uid, is_missing = false, append_pending = m.append_pending and m.status = 'draft',
      is_read = case when m.flags_pending then m.is_read else pair.is_read end,
      is_starred = case when m.flags_pending then m.is_starred else pair.is_starred end,
      is_answered = m.is_answered or pair.is_answered, is_forwarded = m.is_forwarded or pair.is_forwarded,
      body_parts = pair.body_parts, attachments = case when m.status = 'draft' or m.status = 'received' and m.body_html is not null then m.attachments else pair.attachments end, updated_at = ${ctx.now}, revision = m.revision + 1
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb)
      as pair (id bigint, uid bigint, is_read boolean, is_starred boolean, is_answered boolean, is_forwarded boolean, body_parts jsonb, attachments jsonb)
    where m.tenant_id = ${ctx.tenant.id} and m.id = pair.id`.execute(ctx.tx)
  return new Set(pairs.map(({ uid }) => uid))
}

/** Returns which UIDs of these messages are stored already. */
async function placedIn(ctx: Ctx, { id }: FolderRow, heads: Head[]): Promise<Set<number>> {
  const rows = await ctx
    .from('email_messages')
    .select('uid')
    .where('remote_folder_id', '=', id)
    .where('uid', '=', sql<number>`any(${heads.map(({ uid }) => uid)}::bigint[])`)
    .execute()
  return new Set(rows.map(({ uid }) => uid!))
}

async function insert(ctx: Ctx, folder: FolderRow, heads: Threaded[]) {
  if (!heads.length) return
  await sql`
    insert into email_messages (tenant_id, account_id, folder_id, remote_folder_id, uid, status, message_id, in_reply_to, reference_ids, thread_key,
      subject, "from", "to", cc, bcc, reply_to, date, size_bytes, is_read, is_starred, is_answered, is_forwarded, snippet, body_parts, attachments, created_at, updated_at)
    select ${ctx.tenant.id}, ${folder.account_id}, ${folder.id}, ${folder.id}, h.uid, 'received', h.message_id, h.in_reply_to, h.reference_ids, h.thread_key,
      h.subject, h."from", h."to", h.cc, h.bcc, h.reply_to, h.date, h.size_bytes, h.is_read, h.is_starred, h.is_answered, h.is_forwarded, h.snippet, h.body_parts,
      h.attachments, ${ctx.now}, ${ctx.now}
    from jsonb_populate_recordset(null::email_messages, ${JSON.stringify(heads)}::jsonb) h
    on conflict (tenant_id, remote_folder_id, uid) do nothing returning 1`.execute(ctx.tx)
}

/** Messages per transaction, and in memory at once. */
const BATCH = 250

/** Fetches and stores the messages of a folder above its cursor, batch by batch. */
export async function fetchNew(turn: Lease, connection: Connection, { row, path }: Remote, signal: AbortSignal) {
  const opened = await connection.mailbox.open(path)
  if (!opened || Number(opened.uidValidity) !== row.uid_validity) return // the next synchronisation handles it
  const uids = await connection.mailbox.uidsAbove(row.last_uid)
  const last = Math.max(opened.uidNext - 1, uids.at(-1) ?? 0)
  for (let n = 0; n < uids.length; n += BATCH) {
    signal.throwIfAborted()
    const some = uids.slice(n, n + BATCH)
    const batch = await readBatch(connection, path, some)
    await storeBatch(turn, row, { ...batch, upTo: some.at(-1)! })
    if (await pushChanges(turn, connection)) await connection.mailbox.open(path)
  }
  await storeBatch(turn, row, { heads: [], unreadable: [], upTo: last })
}

/** Halves an unreadable batch until it is one message, which then goes into quarantine. */
async function readBatch(connection: Connection, path: string, uids: number[]): Promise<Omit<Batch, 'upTo'>> {
  try {
    return await readAll(connection, uids)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    await (await connection.again()).open(path)
    if (uids.length === 1) return { heads: [], unreadable: [{ uid: uids[0]!, reason: error.message }] }
    const half = uids.length >> 1
    const first = await readBatch(connection, path, uids.slice(0, half))
    const second = await readBatch(connection, path, uids.slice(half))
    return { heads: [...first.heads, ...second.heads], unreadable: [...first.unreadable, ...second.unreadable] }
  }
}

async function readAll({ mailbox }: Connection, uids: number[]): Promise<Omit<Batch, 'upTo'>> {
  const batch: Omit<Batch, 'upTo'> = { heads: [], unreadable: [] }
  for (const message of await mailbox.heads(uids))
    try {
      batch.heads.push(headOf(message))
    } catch {
      batch.unreadable.push({ uid: message.uid, reason: 'Its headers can not be read.' })
    }
  await addSnippets(mailbox, batch.heads)
  batch.unreadable.push(...(await passedOver(mailbox, uids, batch)))
  return batch
}

/** Returns messages that exist although no data of them arrived, because it was invalid. */
async function passedOver(mailbox: Mailbox, uids: number[], { heads, unreadable }: Omit<Batch, 'upTo'>) {
  const told = new Set([...heads, ...unreadable].map(({ uid }) => uid))
  const untold = uids.filter((uid) => !told.has(uid))
  if (!untold.length) return []
  const there = new Set(await mailbox.uidsAbove(untold[0]! - 1))
  return untold.flatMap((uid) => (there.has(uid) ? [{ uid, reason: 'What the server tells of it can not be read.' }] : []))
}
