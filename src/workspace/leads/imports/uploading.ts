/** Taking a file in (LEAD-61). It is read once, to its end: one that can't be imported is refused here, as a whole. */
import { sql } from 'kysely'
import type { WorkspaceSteps } from '#kernel/context.ts'
import { together } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import { keepUpload, type Upload } from '#kernel/storage/uploads.ts'
import { chunked, dropChunks, keepChunk } from './chunks.ts'
import { importFields, suggestedMapping } from './fields.ts'
import { showImport } from './imports.ts'
import type { FileRow } from './reading/limits.ts'
import { formatOf, tableOf } from './reading/table.ts'

/** Rows that are shown of it. */
const SAMPLE = 5

const fields = importFields.map(({ field, title }) => ({ field, title, required: field === 'name' }))

/** The import and what its file looks like. 422 on `file` when it is missing or can't be read. */
export async function uploadImport(steps: WorkspaceSteps, file: Upload | undefined) {
  if (!file) throw invalid({ file: 'Is required.' })
  const { format, mime } = formatOf(file)
  const { headers, rows } = await tableOf(steps.services.storage, file.key, format)
  const id = await steps.write(async (ctx) => {
    const { rows: found } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence('lead_imports', 'id')) as id`.execute(ctx.tx)
    return found[0]!.id
  })
  try {
    const { total_rows, sample } = await stage(steps, id, rows)
    if (!total_rows) throw invalid({ file: 'Must have a row below its header.' })
    return await steps.finish(async (ctx) => {
      const { uuid } = await ctx.tx
        .insertInto('lead_imports')
        .values({
          ...{ tenant_id: ctx.tenant.id, id, file_name: file.name, file_key: file.key, mime, headers, total_rows },
          ...{ created_by: ctx.actor.id, created_at: ctx.now, updated_at: ctx.now },
        })
        .returning('uuid')
        .executeTakeFirstOrThrow()
      const [shown] = await together(showImport(ctx, uuid), keepUpload(ctx, file))
      const sample_rows = sample.map(({ cells }) => headers.map((_, n) => cells[n] ?? ''))
      return {
        import: JSON.parse(shown.text),
        context: { headers, sample_rows, suggested_mapping: suggestedMapping(headers), fields },
      }
    })
  } catch (error) {
    await steps.write((ctx) => dropChunks(ctx, id)) // what a crash leaves here is swept
    throw error
  }
}

async function stage(steps: WorkspaceSteps, importId: number, rows: AsyncGenerator<FileRow>) {
  const sample: FileRow[] = []
  let total_rows = 0
  let n = 0
  for await (const chunk of chunked(rows)) {
    const place = n++ // outside of the transaction, whose work is done again when the session has changed meanwhile
    await steps.write((ctx) => keepChunk(ctx, importId, place, chunk))
    sample.push(...chunk.slice(0, SAMPLE - sample.length))
    total_rows += chunk.length
  }
  return { total_rows, sample }
}
