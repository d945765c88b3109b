/** A batch of messages and the cursor behind it, in one transaction: whoever is killed loses the batch at hand, and nothing comes twice. */
import { sql } from 'kysely'
import { type Ctx, savepoint } from '#kernel/context.ts'
import { violationOf } from '#kernel/database/violations.ts'
import type { FolderRow } from '../folders/local-folders.ts'
import type { Lease } from './lease.ts'
import type { Head } from './reading.ts'
import { threadsOf } from './threads.ts'

export interface Batch {
  heads: Head[]
  /** Those that could not be read, and why. */
  unreadable: { uid: number; reason: string }[]
  /** Every UID up to here is dealt with. */
  upTo: number
}

export async function storeBatch(turn: Lease, folder: FolderRow, batch: Batch) {
  try {
    await turn.commit((ctx) => write(ctx, folder, batch))
  } catch (error) {
    if (!isAboutValues(error)) throw error
    await turn.commit((ctx) => writeSingly(ctx, folder, batch))
  }
  turn.stored += batch.heads.length
}

/** PostgreSQL refuses what is in a message: classes 22 (data), 23 (constraints) and 54 (limits). */
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
  await ctx.tx
    .updateTable('email_folders')
    .set({ last_uid: upTo })
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', folder.id)
    .where('last_uid', '<', upTo)
    .execute()
}

/** Stores messages one by one: what the database doesn't take goes into quarantine. */
async function writeSingly(ctx: Ctx, folder: FolderRow, { heads, unreadable, upTo }: Batch) {
  const refused = [...unreadable]
  for (const head of heads)
    await savepoint(ctx, (within) => write(within, folder, { heads: [head], unreadable: [], upTo: 0 })).catch((error) => {
      if (!isAboutValues(error)) throw error
      refused.push({ uid: head.uid, reason: `It could not be stored (${String(error.code ?? 'constraint')}).` })
    })
  await write(ctx, folder, { heads: [], unreadable: refused, upTo })
}

type Threaded = Head & { thread_key: string | undefined }

/**
 * Messages that are here already and are met again: moved on the server, in a folder that was made anew, laid into Sent by us. They keep
 * their uuid, labels and links. One row for each; the oldest first.
 */
async function adopt(ctx: Ctx, folder: FolderRow, heads: Threaded[]): Promise<Set<number>> {
  const candidates = await ctx.tx
    .selectFrom('email_messages')
    .select(['id', 'message_id'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('account_id', '=', folder.account_id)
    .where('message_id', '=', sql<string>`any(${heads.map(({ message_id }) => message_id)})`)
    .where('uid', 'is', null)
    .where((eb) => eb.or([eb('is_missing', '=', true), eb.and([eb('status', '=', 'sent'), eb('folder_id', '=', folder.id)])]))
    .orderBy('id')
    .execute()
  const waiting = Map.groupBy(candidates, ({ message_id }) => message_id)
  const pairs = heads.flatMap(({ uid, message_id, is_read, is_starred, body_parts, attachments }) => {
    const row = waiting.get(message_id)?.shift()
    return row ? [{ id: row.id, uid, is_read, is_starred, body_parts, attachments }] : []
  })
  if (!pairs.length) return new Set()
  await sql`
    update email_messages m set
      folder_id = case when m.folder_id = m.remote_folder_id then ${folder.id} else m.folder_id end,
      remote_folder_id = ${folder.id}, uid = pair.uid, is_missing = false, append_pending = false,
      is_read = case when m.flags_pending then m.is_read else pair.is_read end,
      is_starred = case when m.flags_pending then m.is_starred else pair.is_starred end,
      body_parts = pair.body_parts, attachments = case when m.status = 'received' and m.body_html is not null then m.attachments else pair.attachments end, updated_at = ${ctx.now}, revision = m.revision + 1
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb)
      as pair (id bigint, uid bigint, is_read boolean, is_starred boolean, body_parts jsonb, attachments jsonb)
    where m.tenant_id = ${ctx.tenant.id} and m.id = pair.id`.execute(ctx.tx)
  return new Set(pairs.map(({ uid }) => uid))
}

async function insert(ctx: Ctx, folder: FolderRow, heads: Threaded[]) {
  if (!heads.length) return
  await sql`
    insert into email_messages (tenant_id, account_id, folder_id, remote_folder_id, uid, status, message_id, in_reply_to, reference_ids, thread_key,
      subject, "from", "to", cc, bcc, reply_to, date, size_bytes, is_read, is_starred, snippet, body_parts, attachments, created_at, updated_at)
    select ${ctx.tenant.id}, ${folder.account_id}, ${folder.id}, ${folder.id}, h.uid, 'received', h.message_id, h.in_reply_to, h.reference_ids, h.thread_key,
      h.subject, h."from", h."to", h.cc, h.bcc, h.reply_to, h.date, h.size_bytes, h.is_read, h.is_starred, h.snippet, h.body_parts,
      h.attachments, ${ctx.now}, ${ctx.now}
    from jsonb_populate_recordset(null::email_messages, ${JSON.stringify(heads)}::jsonb) h
    on conflict (tenant_id, remote_folder_id, uid) do nothing`.execute(ctx.tx)
}
