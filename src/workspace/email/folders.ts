/** The folders of a mailbox as its server has them, with their message counts (EML-12). Drafts and Sent exist from the start. */
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { computed, view } from '#kernel/records/view.ts'
import { choice, hardStamps } from '#kernel/values/fields.ts'
import { ofMyAccounts } from './accounts/schema.ts'

// Message counts of a folder, from the tallies that the database keeps by folder (as `assigned_to`) and by read state (as
// `status`).

/** Returns an SQL expression; `folderId` is a value or a column. */
export const countIn = (ctx: Ctx, folderId: RawBuilder<unknown>, which: 'all' | 'unread') => sql<number>`(
  select coalesce(sum(n), 0)::int from record_tallies
  where tenant_id = ${ctx.tenant.id} and kind = 'email_messages' and assigned_to = ${folderId}
    ${which === 'unread' ? sql`and status = 'false'` : sql``})`

// Drafts and Sent exist locally from the start. They are merged with the server's folders once these are known.

const NAMES = { drafts: 'Drafts', sent: 'Sent' } as const

/** Creates the local folders for drafts and sent messages. */
export async function makeLocalFolders(ctx: Ctx, { id }: { id: number }) {
  for (const type of ['drafts', 'sent'] as const) await makeLocal(ctx, id, type)
}

const makeLocal = (ctx: Ctx, account_id: number, type: keyof typeof NAMES): Promise<FolderRow> =>
  ctx.tx
    .insertInto('email_folders')
    .values({ tenant_id: ctx.tenant.id, account_id, type, name: NAMES[type], created_at: ctx.now, updated_at: ctx.now })
    .returningAll()
    .executeTakeFirstOrThrow()

/** Returns the folder for drafts. Creates a local one again if the server has changed its folder's type. */
export const draftsOf = async (ctx: Ctx, accountId: number): Promise<FolderRow> =>
  (await folderOfType(ctx, accountId, 'drafts')) ?? (await makeLocal(ctx, accountId, 'drafts'))

export type FolderRow = Row<'email_folders'>

/** Returns an account's folder of a type, the server's before a local one; undefined if there is none. */
export const folderOfType = (ctx: Ctx, accountId: number, type: FolderRow['type']): Promise<FolderRow | undefined> =>
  ctx
    .from('email_folders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('type', '=', type)
    .orderBy('remote_path')
    .executeTakeFirst()

export const FOLDER_TYPES = ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash', 'all', 'custom'] as const

const count = (which: 'all' | 'unread') => computed(z.int(), ({ ctx, table }) => countIn(ctx, sql.ref(`${table}.id`), which))

export const Folder = view('email_folders', 'EmailFolder', {
  uuid: z.string(),
  name: z.string().meta({ description: 'What the folder is called.', examples: ['Inbox'] }),
  type: choice(FOLDER_TYPES).describe('What the folder is for, as the server says or its name tells.'),
  remote_path: z
    .string()
    .nullable()
    .meta({ description: 'Its path on the mail server; null: it exists here only.', examples: ['INBOX'] }),
  unread_count: count('unread'),
  total_count: count('all'),
  ...hardStamps,
})

export const folders = lookupTable({
  table: 'email_folders',
  noun: 'folder',
  item: Folder,
  key: 'uuid',
  scope: ofMyAccounts('email_folders'),
})

export const folderList = listing(folders, {
  order: { by: ['name'] },
  hardDeleted: true,
})
