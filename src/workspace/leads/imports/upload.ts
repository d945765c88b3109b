/** Upload of an import file (LEAD-61). The file is read to its end; an invalid one is rejected here as a whole. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { HttpError, invalid } from '#kernel/errors.ts'
import { type FileTable, fileTable, formatOf, formatOfMime, type ImportFormat, type StagedTable } from '#kernel/import/file.ts'
import type { FileRow, TableChoice } from '#kernel/import/table.ts'
import type { ChooseTable } from '#kernel/import/table-fields.ts'
import { keepUpload, type Upload } from '#kernel/storage/uploads.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { dropChunks, findImport, keepChunk, lockImport, refuseStarted, replaceChunks, saveImport, showImport } from './imports.ts'
import { importFields, suggestedMapping, titleKeys } from './schema.ts'

const PORTIONS = { cell: 10_000, batch: 1000 }

/** Number of sample rows in the reply. */
const SAMPLE = 5

const fields = importFields.map(({ field, title }) => ({ field, title, required: field === 'name' }))

/**
 * Returns the import and a description of its file. 422 on `file` when it is missing, unreadable, or exceeds the storage quota;
 * 409 while another file of the same user is being read.
 */
export async function uploadImport(steps: WorkspaceSteps, file: Upload | undefined) {
  if (!file) throw invalid({ file: 'Is required.' })
  const { format, mime } = formatOf(file)
  return staged(steps, { key: file.key, format, choice: {} }, async (ctx, id, table) => {
    const { uuid } = await ctx.tx
      .insertInto('lead_imports')
      .values({
        ...{ tenant_id: ctx.tenant.id, id, file_name: file.name, file_key: file.key, mime, ...columnsOf(table) },
        ...{ created_by: ctx.actor.id, created_at: ctx.now, updated_at: ctx.now },
      } as never)
      .returning('uuid')
      .executeTakeFirstOrThrow()
    const [shown] = await allPipelined(showImport(ctx, uuid), keepUpload(ctx, file))
    return { import: JSON.parse(shown.text), context: contextOf(table) }
  })
}

/**
 * PUT /leads/imports/{uuid}/table: selects another table of the file, without a mapping yet. 422 on `sheet` and `header_row` for
 * what the file lacks, on `status` once it was run; 409 while another file of the same user is being read.
 */
export async function chooseTable(steps: WorkspaceSteps, uuid: string, choice: z.output<typeof ChooseTable>) {
  const one = await steps.read((ctx) => findImport(ctx, uuid))
  refuseStarted(one)
  const how = {
    key: one.file_key,
    format: formatOfMime(one.mime),
    choice: { ...choice, sheet: choice.sheet ?? one.sheet ?? undefined },
  }
  return staged(steps, how, async (ctx, id, table) => {
    const locked = await lockImport(ctx, uuid)
    refuseStarted(locked)
    await replaceChunks(ctx, locked.id, id)
    await saveImport(ctx, locked, { ...columnsOf(table), mapping: null, status: 'uploaded' })
    const shown = await showImport(ctx, uuid)
    return { import: JSON.parse(shown.text), context: contextOf(table) }
  })
}

interface HowToRead {
  key: string
  format: ImportFormat
  choice: TableChoice
}

/** Reads a file into chunks of an import that isn't stored yet, then calls `finish` in the final transaction. */
async function staged<T>(
  steps: WorkspaceSteps,
  { key, format, choice }: HowToRead,
  finish: (ctx: Ctx, id: number, table: StagedTable) => Promise<T>,
): Promise<T> {
  await steps.write(leaseUpload)
  try {
    const { batches, ...table } = await fileTable(steps, key, format, { portions: PORTIONS, choice, titles: titleKeys })
    const id = await steps.write(async (ctx) => {
      const { rows: found } = await sql<{ id: number }>`
        select nextval(pg_get_serial_sequence('lead_imports', 'id')) as id`.execute(ctx.tx)
      return found[0]!.id
    })
    try {
      const { total_rows, sample } = await stage(steps, id, batches)
      if (!total_rows) throw invalid({ file: 'Must have a row below its header.' })
      return await steps.finish((ctx) =>
        finish(ctx, id, { ...table, notation: table.notation(ctx.tenant.locale), total_rows, sample }),
      )
    } catch (error) {
      await steps.write((ctx) => dropChunks(ctx, id)) // chunks left by a crash are swept
      throw error
    }
  } finally {
    await steps.write(endUpload)
  }
}

const columnsOf = ({ headers, total_rows, sheet, sheets, header_row, notation }: StagedTable) => ({
  ...{ headers, total_rows, sheet, sheets, header_row },
  ...notation,
})

function contextOf({ headers, sample, sheet, sheets, header_row, notation }: StagedTable) {
  const sample_rows = sample.map(({ cells }) => headers.map((_, n) => cells[n] ?? ''))
  return {
    ...{ headers, sample_rows, suggested_mapping: suggestedMapping(headers), fields },
    ...{ sheets, sheet, header_row, ...notation },
  }
}

async function stage(steps: WorkspaceSteps, importId: number, batches: FileTable['batches']) {
  const sample: FileRow[] = []
  let total_rows = 0
  let n = 0
  for await (const { count, rows } of batches) {
    const place = n++ // outside of the transaction, which is retried when the session has changed meanwhile
    await steps.write((ctx) => keepChunk(ctx, importId, place, rows))
    if (sample.length < SAMPLE) sample.push(...(JSON.parse(rows) as FileRow[]).slice(0, SAMPLE - sample.length))
    total_rows += count
  }
  return { total_rows, sample }
}

/** Exceeds the time that reading any file takes. */
const LEASE_SECONDS = 600

/** Lease that lets a user read one file at a time: 409 for a second one. */
async function leaseUpload(ctx: Ctx) {
  const { rows } = await sql`
    insert into lead_import_uploads (tenant_id, user_id, leased_until)
    values (${ctx.tenant.id}, ${ctx.actor.id}, ${plusSeconds(ctx.now, LEASE_SECONDS)})
    on conflict (tenant_id, user_id) do update set leased_until = excluded.leased_until
      where lead_import_uploads.leased_until <= ${ctx.now}
    returning user_id`.execute(ctx.tx)
  if (!rows.length)
    throw new HttpError(409, 'IMPORT_UNDER_WAY', 'Another file of yours is being read. Send this one when that is done.')
}

const endUpload = (ctx: Ctx) => ctx.deleteFrom('lead_import_uploads').where('user_id', '=', ctx.actor.id).execute()
