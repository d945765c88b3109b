/** The rows of a file on their way: kept in batches, so that a run goes on where it stopped without reading the file again. */
import type { Ctx } from '#kernel/context.ts'
import { countStorage } from '#workspace/storage/public.ts'
import type { FileRow } from './reading/limits.ts'

/** `rows` is the JSON of a batch. 422 on `file` where the workspace may not store as much (STORAGE_QUOTA_EXCEEDED). */
export async function keepChunk(ctx: Ctx, import_id: number, n: number, rows: string) {
  const bytes = Buffer.byteLength(rows)
  await ctx.tx
    .insertInto('lead_import_chunks')
    .values({ tenant_id: ctx.tenant.id, import_id, n, rows, bytes, created_at: ctx.now })
    .execute()
  await countStorage(ctx, bytes, 'file')
}

/** Undefined behind the last one. */
export async function chunkAt(ctx: Ctx, importId: number, n: number): Promise<FileRow[] | undefined> {
  const chunk = await ctx.tx
    .selectFrom('lead_import_chunks')
    .select('rows')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('import_id', '=', importId)
    .where('n', '=', n)
    .executeTakeFirst()
  return chunk?.rows as FileRow[] | undefined
}

/** They aren't counted any more. */
export async function dropChunks(ctx: Ctx, importId: number) {
  const dropped = await ctx.tx
    .deleteFrom('lead_import_chunks')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('import_id', '=', importId)
    .returning('bytes')
    .execute()
  await countStorage(
    ctx,
    dropped.reduce((sum, { bytes }) => sum - bytes, 0),
    'file',
  )
}
