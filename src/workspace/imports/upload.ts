/** Taking a file in. It is read to its end: one that can't be imported is refused here, as a whole. */
import { sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { HttpError, invalid } from '#kernel/errors.ts'
import { suggestedMapping } from '#kernel/import/cells.ts'
import { type FileTable, fileTable, formatOf } from '#kernel/import/file.ts'
import type { FileRow } from '#kernel/import/table.ts'
import { keepUpload, type Upload } from '#kernel/storage/uploads.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { dropChunks, ID, keepChunk, showImport, targetOf } from './imports.ts'

/** A cell may hold what an export writes into one: the lines of a document. A batch takes about a second. */
const PORTIONS = { cell: 200_000, batch: 100 }

/** Rows that are shown of it. */
const SAMPLE = 5

/**
 * The import and what its file looks like. 422 on `module` or `file` where they can't be imported, or the workspace may not store as much;
 * 403 for who may neither make nor change such records; 409 while another file of the user's is being read.
 */
export async function uploadImport(steps: WorkspaceSteps, module: string, file: Upload | undefined) {
  const { record_table, fields } = await steps.read(async (ctx) => {
    const { collection, fields } = await targetOf(ctx, module)
    return { record_table: collection.of.table as string, fields }
  })
  if (!file) throw invalid({ file: 'Is required.' })
  const { format, mime } = formatOf(file)
  const id = await steps.write((ctx) => beginReading(ctx, { module, record_table, file, mime }))
  try {
    const { headers, batches } = await fileTable(steps, file.key, format, PORTIONS)
    const { total_rows, sample } = await stage(steps, id, batches)
    if (!total_rows) throw invalid({ file: 'Must have a row below its header.' })
    return await steps.finish(async (ctx) => {
      const read = { is_reading: false, headers, total_rows, updated_at: ctx.now }
      const { uuid } = await ctx.update('imports').set(read).where('id', '=', id).returning('uuid').executeTakeFirstOrThrow()
      const [shown] = await allPipelined(showImport(ctx, uuid), keepUpload(ctx, file))
      return {
        import: JSON.parse(shown.text),
        context: {
          headers,
          sample_rows: sample.map(({ cells }) => headers.map((_, n) => cells[n] ?? '')),
          suggested_mapping: suggestedMapping(fields, headers),
          fields: [ID, ...fields].map(({ field, title, required }) => ({ field, title, required })),
        },
      }
    })
  } catch (error) {
    await steps.write((ctx) => forgetReading(ctx, id)) // what a crash leaves here is swept
    throw error
  }
}

/** Longer than any file takes. */
const LEASE_SECONDS = 600

interface Reading {
  module: string
  record_table: string
  file: Upload
  mime: string
}

/** One file of a user is read at a time: 409 for a second one. */
async function beginReading(ctx: Ctx, { module, record_table, file, mime }: Reading): Promise<number> {
  const stale = await ctx
    .from('imports')
    .select('id')
    .where('created_by', '=', ctx.actor.id)
    .where('is_reading', '=', true)
    .where('created_at', '<=', plusSeconds(ctx.now, -LEASE_SECONDS))
    .executeTakeFirst()
  if (stale) await forgetReading(ctx, stale.id)
  const { rows } = await sql<{ id: number }>`
    insert into imports (tenant_id, module, record_table, file_name, file_key, mime, headers, created_by, created_at, updated_at)
    values (${ctx.tenant.id}, ${module}, ${record_table}, ${file.name}, ${file.key}, ${mime}, '{}', ${ctx.actor.id}, ${ctx.now}, ${ctx.now})
    on conflict (tenant_id, created_by) where is_reading do nothing returning id`.execute(ctx.tx)
  if (!rows[0])
    throw new HttpError(409, 'IMPORT_UNDER_WAY', 'Another file of yours is being read. Send this one when that is done.')
  return rows[0].id
}

/** Its file has never been kept. */
async function forgetReading(ctx: Ctx, id: number) {
  await dropChunks(ctx, id)
  await ctx.deleteFrom('imports').where('id', '=', id).where('is_reading', '=', true).execute()
}

async function stage(steps: WorkspaceSteps, importId: number, batches: FileTable['batches']) {
  const sample: FileRow[] = []
  let total_rows = 0
  let n = 0
  for await (const { count, rows } of batches) {
    const place = n++ // outside of the transaction, whose work is done again when the session has changed meanwhile
    await steps.write((ctx) => keepChunk(ctx, importId, place, rows))
    if (sample.length < SAMPLE) sample.push(...(JSON.parse(rows) as FileRow[]).slice(0, SAMPLE - sample.length))
    total_rows += count
  }
  return { total_rows, sample }
}
