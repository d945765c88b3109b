/** Reconciles the stored messages of a folder with the server: recreated folders, deleted messages, changed flags. */
import type { MailboxObject } from 'imapflow'
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import type { Range } from '../connections/client.ts'
import { Unreadable } from '../connections/failures.ts'
import type { Mailbox } from '../connections/mailbox.ts'
import type { FolderRow } from '../folders.ts'
import type { Remote } from './folder-list.ts'
import type { Lease } from './lease.ts'
import { answersIn } from './message-columns.ts'

const BATCH = 1000
/** Interval of full comparisons, even if the server reports deletions and counts agree. In seconds. */
const COMPARE_EVERY = 24 * 60 * 60

/**
 * Updates the stored messages. Returns whether there may be new ones: they are fetched once it is known for every folder which
 * are missing.
 */
export async function checkFolder(turn: Lease, mailbox: Mailbox, remote: Remote): Promise<boolean> {
  const { row, path, status } = remote
  const now = turn.steps.services.clock.now()
  const isDue = row.compared_at === null || row.compared_at < plusSeconds(now, -COMPARE_EVERY)
  if (status && isUnchanged(remote) && !isDue) return false
  const opened = await mailbox.open(path)
  if (!opened) return false
  await beginAgain(turn, remote, opened, now)
  await note(turn, row, {
    server_total: opened.exists,
    ...(status?.unseen === undefined ? {} : { server_unread: status.unseen }),
  })
  const uids = opened.uidNext - 1 > row.last_uid || !opened.uidNext ? await mailbox.uidsAbove(row.last_uid) : []
  await readChanges(turn, mailbox, remote, opened).catch(async (error) => {
    // Too many changes for one line: the next synchronisation requests all flags instead.
    if (error instanceof Unreadable) await note(turn, row, { highest_modseq: null })
    throw error
  })
  if (isDue || remote.known + uids.length !== opened.exists) {
    await markMissing(turn, row, new Set(await mailbox.uidsAbove(0)))
    await note(turn, row, { compared_at: now })
  }
  return uids.length > 0 || opened.uidNext - 1 > row.last_uid
}

/** Whether the server, which counts changes (CONDSTORE), has counted none since. */
function isUnchanged({ row, status, known }: Remote) {
  const { uidValidity, uidNext, messages, highestModseq, unseen } = status!
  return (
    highestModseq !== undefined &&
    Number(highestModseq) === row.highest_modseq &&
    Number(uidValidity) === row.uid_validity &&
    uidNext === row.last_uid + 1 &&
    messages === known &&
    messages === row.server_total &&
    unseen === row.server_unread
  )
}

/**
 * UIDs of another UIDVALIDITY are different ones: every message has to be found again. Rows are marked first, so that the run
 * after a killed worker repeats it.
 */
async function beginAgain(turn: Lease, remote: Remote, { uidValidity }: MailboxObject, now: string) {
  const { row } = remote
  if (row.uid_validity === Number(uidValidity)) return
  if (row.uid_validity !== null) await markAllMissing(turn, row)
  const begun = { uid_validity: Number(uidValidity), last_uid: 0, highest_modseq: null, compared_at: now }
  await turn.commit(async (ctx) => {
    await ctx.deleteFrom('email_quarantine').where('folder_id', '=', row.id).execute()
    await update(ctx, row, begun)
  })
  Object.assign(row, begun)
  remote.known = 0
}

/** Marks all messages of a folder as missing, in batches. */
export async function markAllMissing(turn: Lease, { id }: FolderRow) {
  const some = async (ctx: Ctx) => {
    const { numAffectedRows = 0n } = await sql`
      update email_messages set uid = null, is_missing = true where tenant_id = ${ctx.tenant.id} and id in (
        select id from email_messages where tenant_id = ${ctx.tenant.id} and remote_folder_id = ${id} and uid is not null limit ${BATCH})`.execute(
      ctx.tx,
    )
    return numAffectedRows > 0n
  }
  while (await turn.commit(some));
}

/**
 * Marks messages as missing whose UID the server doesn't have. Quarantined ones are deleted then, and also if they have been
 * stored in the meantime.
 */
async function markMissing(turn: Lease, { id }: FolderRow, there: Set<number>) {
  for (let after: number | undefined = 0; after !== undefined; )
    after = await turn.commit(async (ctx) => {
      const rows = await ctx
        .from('email_messages')
        .select(['id', 'uid'])
        .where('remote_folder_id', '=', id)
        .where('uid', '>', after!)
        .orderBy('uid')
        .limit(BATCH)
        .execute()
      const missing = rows.filter(({ uid }) => !there.has(uid!)).map((row) => row.id)
      if (missing.length)
        await sql`update email_messages set uid = null, is_missing = true
          where tenant_id = ${ctx.tenant.id} and id = any(${missing}::bigint[])`.execute(ctx.tx)
      return rows.length === BATCH ? rows.at(-1)!.uid! : undefined
    })
  await turn.commit(async (ctx) => {
    const { rows: held } = await sql<{ uid: number; is_stored: boolean }>`
      select q.uid, exists (select from email_messages m where m.tenant_id = ${ctx.tenant.id} and m.remote_folder_id = q.folder_id and m.uid = q.uid) as is_stored
      from email_quarantine q where q.tenant_id = ${ctx.tenant.id} and q.folder_id = ${id}`.execute(ctx.tx)
    const gone = held.flatMap(({ uid, is_stored }) => (there.has(uid) && !is_stored ? [] : uid))
    if (gone.length)
      await sql`delete from email_quarantine where tenant_id = ${ctx.tenant.id} and folder_id = ${id} and uid = any(${gone}::bigint[])`.execute(
        ctx.tx,
      )
  })
}

/**
 * Marks messages as missing that the server reports as deleted (QRESYNC); they are searched for like any other missing one.
 * Returns how many of them were known.
 */
async function markVanished(turn: Lease, { id }: FolderRow, ranges: Range[]): Promise<number> {
  const some = async (ctx: Ctx) => {
    const gone = sql`jsonb_to_recordset(${JSON.stringify(ranges.map(([first, last]) => ({ first, last })))}::jsonb) as gone (first bigint, last bigint)`
    const missing =
      await sql`update email_messages set uid = null, is_missing = true where tenant_id = ${ctx.tenant.id} and id in (
      select m.id from ${gone} join email_messages m on m.tenant_id = ${ctx.tenant.id} and m.remote_folder_id = ${id} and m.uid between gone.first and gone.last
      limit ${BATCH})`.execute(ctx.tx)
    const held = await sql`delete from email_quarantine where tenant_id = ${ctx.tenant.id} and folder_id = ${id} and uid in (
      select q.uid from ${gone} join email_quarantine q on q.tenant_id = ${ctx.tenant.id} and q.folder_id = ${id} and q.uid between gone.first and gone.last
      limit ${BATCH})`.execute(ctx.tx)
    return Number(missing.numAffectedRows ?? 0) + Number(held.numAffectedRows ?? 0)
  }
  let known = 0
  if (ranges.length) for (let n = await turn.commit(some); n > 0; n = await turn.commit(some)) known += n
  return known
}

/**
 * Reads flags of changed messages, and deletions, if the server tracks changes; flags of all messages otherwise. Changes pending
 * for the server stay.
 */
async function readChanges(turn: Lease, mailbox: Mailbox, remote: Remote, { highestModseq }: MailboxObject) {
  const { row } = remote
  const modseq = highestModseq === undefined ? null : Number(highestModseq)
  if (modseq !== null && modseq === row.highest_modseq) return
  const since = modseq === null || row.highest_modseq === null ? undefined : BigInt(row.highest_modseq)
  if (row.last_uid > 0) {
    let batch: { uid: number; is_read: boolean; is_starred: boolean; is_answered: boolean; is_forwarded: boolean }[] = []
    const store = async () => {
      if (batch.length) turn.isChanged = (await turn.commit((ctx) => writeFlags(ctx, row, batch))) > 0 || turn.isChanged
      batch = []
    }
    for await (const { uid, flags } of mailbox.flags(row.last_uid, since)) {
      if (flags) batch.push({ uid, is_read: flags.has('\\Seen'), is_starred: flags.has('\\Flagged'), ...answersIn(flags) })
      if (batch.length === BATCH) await store()
    }
    await store()
    remote.known -= await markVanished(turn, row, mailbox.vanished())
  }
  await note(turn, row, { highest_modseq: modseq })
}

/** Returns how many messages had different flags. */
async function writeFlags(ctx: Ctx, { id }: FolderRow, flags: object[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update email_messages m set is_read = f.is_read, is_starred = f.is_starred, is_answered = f.is_answered, is_forwarded = f.is_forwarded, updated_at = ${ctx.now}, revision = m.revision + 1
    from jsonb_to_recordset(${JSON.stringify(flags)}::jsonb) as f (uid bigint, is_read boolean, is_starred boolean, is_answered boolean, is_forwarded boolean)
    where m.tenant_id = ${ctx.tenant.id} and m.remote_folder_id = ${id} and m.uid = f.uid and not m.flags_pending
      and (m.is_read, m.is_starred, m.is_answered, m.is_forwarded) <> (f.is_read, f.is_starred, f.is_answered, f.is_forwarded)`.execute(
    ctx.tx,
  )
  return Number(numAffectedRows)
}

type Noted = Partial<
  Pick<FolderRow, 'server_total' | 'server_unread' | 'highest_modseq' | 'uid_validity' | 'last_uid' | 'compared_at'>
>

async function note(turn: Lease, row: FolderRow, noted: Noted) {
  await turn.commit((ctx) => update(ctx, row, noted))
  Object.assign(row, noted)
}

const update = (ctx: Ctx, { id }: FolderRow, noted: Noted) =>
  ctx.update('email_folders').set(noted).where('id', '=', id).execute()
