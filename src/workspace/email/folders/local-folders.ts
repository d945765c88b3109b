/** Drafts and sent messages have a folder from the start. It is laid together with the server's, once that is known to have one. */
import type { Ctx } from '#kernel/context.ts'
import type { Row } from '#kernel/records/resource.ts'

const NAMES = { drafts: 'Drafts', sent: 'Sent' } as const

export async function makeLocalFolders(ctx: Ctx, { id }: { id: number }) {
  for (const type of ['drafts', 'sent'] as const) await makeLocal(ctx, id, type)
}

const makeLocal = (ctx: Ctx, account_id: number, type: keyof typeof NAMES): Promise<FolderRow> =>
  ctx.tx
    .insertInto('email_folders')
    .values({ tenant_id: ctx.tenant.id, account_id, type, name: NAMES[type], created_at: ctx.now, updated_at: ctx.now })
    .returningAll()
    .executeTakeFirstOrThrow()

/** Where drafts are. A server may have told that its folder is for something else now: then there is a local one again. */
export const draftsOf = async (ctx: Ctx, accountId: number): Promise<FolderRow> =>
  (await folderOfType(ctx, accountId, 'drafts')) ?? (await makeLocal(ctx, accountId, 'drafts'))

export type FolderRow = Row<'email_folders'>

/** An account's folder of a type, the server's before a local one; undefined where there is none. */
export const folderOfType = (ctx: Ctx, accountId: number, type: FolderRow['type']): Promise<FolderRow | undefined> =>
  ctx.tx
    .selectFrom('email_folders')
    .selectAll()
    .where('tenant_id', '=', ctx.tenant.id)
    .where('account_id', '=', accountId)
    .where('type', '=', type)
    .orderBy('remote_path')
    .executeTakeFirst()
