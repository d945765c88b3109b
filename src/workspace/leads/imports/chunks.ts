/** The rows of a file on their way: kept in batches, so that a run goes on where it stopped without reading the file again. */
import type { Ctx } from '#kernel/context.ts'
import type { FileRow } from './reading/limits.ts'

const MOST_ROWS = 1000
const MOST_CHARACTERS = 500_000

/** Batches of rows, none of them very large. */
export async function* chunked(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow[]> {
  let chunk: FileRow[] = []
  let characters = 0
  for await (const row of rows) {
    chunk.push(row)
    for (const cell of row.cells) characters += cell.length
    if (chunk.length < MOST_ROWS && characters < MOST_CHARACTERS) continue
    yield chunk
    chunk = []
    characters = 0
  }
  if (chunk.length) yield chunk
}

export const keepChunk = (ctx: Ctx, import_id: number, n: number, rows: FileRow[]) =>
  ctx.tx
    .insertInto('lead_import_chunks')
    .values({ tenant_id: ctx.tenant.id, import_id, n, rows: JSON.stringify(rows), created_at: ctx.now })
    .execute()

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

export const dropChunks = (ctx: Ctx, importId: number) =>
  ctx.tx.deleteFrom('lead_import_chunks').where('tenant_id', '=', ctx.tenant.id).where('import_id', '=', importId).execute()
