/** Matches the server's folders with the stored ones: new ones, removed ones, and how many messages each has. */
import type { ListResponse } from 'imapflow'
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import type { FolderRow } from '../folders.ts'
import { cleanText } from '../messages/structure.ts'

const TYPES: Record<string, FolderRow['type']> = {
  '\\Inbox': 'inbox',
  '\\Drafts': 'drafts',
  '\\Sent': 'sent',
  '\\Archive': 'archive',
  '\\Junk': 'junk',
  '\\Trash': 'trash',
  '\\All': 'all',
}
const MAX_FOLDERS = 1000

/** A folder on the server. */
export interface Remote {
  row: FolderRow
  path: string
  status: ListResponse['status']
  /** Number of its known messages: stored or in quarantine. */
  known: number
}

/**
 * Returns the inbox first. A folder removed from the server keeps its row until its messages have been searched for elsewhere.
 */
export async function matchFolders(
  ctx: Ctx,
  accountId: number,
  listed: ListResponse[],
): Promise<{ there: Remote[]; gone: FolderRow[] }> {
  const usable = listed
    .filter(({ flags, path }) => !flags.has('\\Noselect') && !flags.has('\\NonExistent') && path.length <= 1000)
    .slice(0, MAX_FOLDERS)
    .sort((a, b) => Number(b.path === 'INBOX') - Number(a.path === 'INBOX'))
  const rows = await foldersOf(ctx, accountId)
  const left = new Set(rows)
  const types = new Set<FolderRow['type']>()
  const there: Remote[] = []
  for (const { path, name, specialUse = '', status } of usable) {
    const special = TYPES[specialUse] ?? 'custom'
    const type = types.has(special) ? 'custom' : special
    types.add(type)
    const known = rows.find(({ remote_path }) => remote_path === path)
    const local = type === 'custom' ? undefined : rows.find((one) => one.remote_path === null && one.type === type)
    const row = await save(ctx, accountId, known ?? local, {
      remote_path: path,
      name: cleanText(name, 255) || path.slice(0, 255),
      type,
    })
    left.delete(known ?? local ?? row)
    there.push({ row, path, status, known: 0 })
  }
  const counts = await knownIn(ctx, accountId)
  for (const remote of there) remote.known = counts.get(remote.row.id) ?? 0
  return { there, gone: [...left].filter(({ remote_path }) => remote_path !== null) }
}

async function save(
  ctx: Ctx,
  account_id: number,
  before: FolderRow | undefined,
  is: Pick<FolderRow, 'name' | 'type'> & { remote_path: string },
): Promise<FolderRow> {
  if (before && before.name === is.name && before.type === is.type && before.remote_path === is.remote_path) return before
  if (before)
    return ctx
      .update('email_folders')
      .set((eb) => ({ ...is, updated_at: ctx.now, revision: eb('revision', '+', 1) }))
      .where('id', '=', before.id)
      .returningAll()
      .executeTakeFirstOrThrow()
  return ctx.tx
    .insertInto('email_folders')
    .values({ tenant_id: ctx.tenant.id, account_id, ...is, created_at: ctx.now, updated_at: ctx.now })
    .returningAll()
    .executeTakeFirstOrThrow()
}

const foldersOf = (ctx: Ctx, accountId: number) =>
  ctx.from('email_folders').selectAll().where('account_id', '=', accountId).orderBy('id').execute()

async function knownIn(ctx: Ctx, accountId: number) {
  const { rows } = await sql<{ id: number; known: number }>`
    select f.id, (select count(*) from email_messages m where m.tenant_id = ${ctx.tenant.id} and m.remote_folder_id = f.id and m.uid is not null)
      + (select count(*) from email_quarantine q where q.tenant_id = ${ctx.tenant.id} and q.folder_id = f.id) as known
    from email_folders f where f.tenant_id = ${ctx.tenant.id} and f.account_id = ${accountId}`.execute(ctx.tx)
  return new Map(rows.map(({ id, known }) => [id, known]))
}

/** Deletes folders that were removed from the server and are empty; Drafts and Sent become local again. */
export async function dropFolders(ctx: Ctx, gone: FolderRow[]) {
  for (const { id, type } of gone) {
    const forgotten = {
      remote_path: null,
      uid_validity: null,
      last_uid: 0,
      highest_modseq: null,
      compared_at: null,
      server_total: 0,
      server_unread: 0,
    }
    const at = ctx.update('email_folders').where('id', '=', id)
    if (type === 'drafts' || type === 'sent') {
      await at.set({ ...forgotten, updated_at: ctx.now }).execute()
      continue
    }
    // Cancels pending moves into it.
    await sql`update email_messages set folder_id = remote_folder_id
      where tenant_id = ${ctx.tenant.id} and folder_id = ${id} and remote_folder_id <> folder_id`.execute(ctx.tx)
    await sql`delete from email_folders f where f.tenant_id = ${ctx.tenant.id} and f.id = ${id} and not exists (
      select from email_messages m where m.tenant_id = ${ctx.tenant.id} and (m.folder_id = f.id or m.remote_folder_id = f.id))`.execute(
      ctx.tx,
    )
  }
}
