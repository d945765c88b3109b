/** Receives a file and reads it to its end: one that can't be imported is rejected as a whole. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { HttpError, invalid } from '#kernel/errors.ts'
import { type ImportField, suggestedMapping, titleKeys } from '#kernel/import/cells.ts'
import { type FileTable, fileTable, formatOf, formatOfMime, type ImportFormat, type StagedTable } from '#kernel/import/file.ts'
import type { FileRow, TableChoice } from '#kernel/import/table.ts'
import { type ChooseTable, notationOf } from '#kernel/import/table-fields.ts'
import { keepUpload, type Upload } from '#kernel/storage/uploads.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import {
  dropChunks,
  findImport,
  ID,
  keepChunk,
  lockImport,
  refuseStarted,
  replaceChunks,
  saveImport,
  showImport,
  targetOf,
} from './imports.ts'
import type { Mapping, UploadImport } from './schema.ts'
import { templateFor, templateWith } from './templates.ts'

/** A cell may be as long as an export writes them: the lines of a document. A batch takes about a second. */
const PORTIONS = { cell: 200_000, batch: 100 }

/** Number of sample rows. */
const SAMPLE = 5

/**
 * Returns the import and the structure of its file. 422 on `module` or `file` if they can't be imported, or exceed the storage
 * quota; 403 for users who may neither create nor change such records; 409 while another file of the user is being read.
 */
export async function uploadImport(
  steps: WorkspaceSteps,
  { module, template_id }: z.output<typeof UploadImport>,
  file: Upload | undefined,
) {
  const { record_table, fields, template } = await steps.read(async (ctx) => {
    const { collection, fields } = await targetOf(ctx, module)
    const template = template_id === undefined ? undefined : await templateFor(ctx, module, template_id)
    return { record_table: collection.of.table as string, fields, template }
  })
  if (!file) throw invalid({ file: 'Is required.' })
  const { format, mime } = formatOf(file)
  const { sheet, header_row } = template ?? {}
  const choice = { sheet: (format === 'xlsx' && sheet) || undefined, header_row: header_row ?? undefined }
  const reading = { module, record_table, file_name: file.name, file_key: file.key, mime }
  return staged(steps, reading, { format, choice, fields }, async (ctx, id, table) => {
    const changes = { ...columnsOf(table, template), is_reading: false, updated_at: ctx.now }
    const { uuid } = await ctx.update('imports').set(changes).where('id', '=', id).returning('uuid').executeTakeFirstOrThrow()
    const [shown] = await allPipelined(showImport(ctx, uuid), keepUpload(ctx, file))
    return { import: JSON.parse(shown.text), context: await contextOf(ctx, module, fields, table, template) }
  })
}

/**
 * PUT /imports/{uuid}/table: switches the import to another table of its file, which has no mapping yet. 422 on `sheet` and
 * `header_row` if the file doesn't have them, on `status` once it has been run; 409 while another file of the user is being read.
 */
export async function chooseTable(steps: WorkspaceSteps, uuid: string, choice: z.output<typeof ChooseTable>) {
  const { one, fields } = await steps.read(async (ctx) => {
    const one = await findImport(ctx, uuid)
    refuseStarted(one)
    return { one, fields: (await targetOf(ctx, one.module)).fields }
  })
  const sheet = choice.sheet ?? one.sheet ?? undefined
  const { module, record_table, file_name, file_key, mime } = one
  const reading = { module, record_table, file_name, file_key, mime }
  const how = { format: formatOfMime(mime), choice: { ...choice, sheet }, fields }
  return staged(steps, reading, how, async (ctx, id, table) => {
    const locked = await lockImport(ctx, uuid)
    refuseStarted(locked)
    await replaceChunks(ctx, locked.id, id)
    await forgetReading(ctx, id)
    await saveImport(ctx, locked, { ...columnsOf(table), mapping: null, status: 'uploaded' })
    const shown = await showImport(ctx, uuid)
    return { import: JSON.parse(shown.text), context: await contextOf(ctx, module, fields, table) }
  })
}

interface HowToRead {
  format: ImportFormat
  choice: TableChoice
  fields: ImportField[]
}

/** Reads a file into the chunks of a new import, and finishes the request with it. If that fails, the import is deleted. */
async function staged<T>(
  steps: WorkspaceSteps,
  reading: Reading,
  { format, choice, fields }: HowToRead,
  finish: (ctx: Ctx, id: number, table: StagedTable) => Promise<T>,
): Promise<T> {
  const id = await steps.write((ctx) => beginReading(ctx, reading))
  try {
    const options = { portions: PORTIONS, choice, titles: titleKeys([ID, ...fields]) }
    const { batches, ...table } = await fileTable(steps, reading.file_key, format, options)
    const { total_rows, sample } = await stage(steps, id, batches)
    if (!total_rows) throw invalid({ file: 'Must have a row below its header.' })
    return await steps.finish((ctx) =>
      finish(ctx, id, { ...table, notation: table.notation(ctx.tenant.locale), total_rows, sample }),
    )
  } catch (error) {
    await steps.write((ctx) => forgetReading(ctx, id)) // a sweep deletes what a crash leaves
    throw error
  }
}

type Template = Awaited<ReturnType<typeof templateFor>>

/** Columns of a table to store. The notation is the template's, otherwise the recognised one. */
function columnsOf({ headers, total_rows, sheet, sheets, header_row, notation }: StagedTable, template?: Template) {
  return { headers, total_rows, sheet, sheets, header_row, ...(template ? notationOf(template) : notation) }
}

async function contextOf(ctx: Ctx, module: string, fields: ImportField[], table: StagedTable, chosen?: Template) {
  const { headers, sample, sheet, sheets, header_row, notation } = table
  const template = chosen ?? (await templateWith(ctx, module, headers))
  const known = template && Object.entries(template.mapping as Mapping).filter(([, header]) => headers.includes(header))
  return {
    headers,
    sample_rows: sample.map(({ cells }) => headers.map((_, n) => cells[n] ?? '')),
    suggested_mapping: known ? Object.fromEntries(known) : suggestedMapping(fields, headers),
    fields: [ID, ...fields].map(({ field, title, required }) => ({ field, title, required })),
    ...{ sheets, sheet, header_row },
    ...(chosen ? notationOf(chosen) : notation),
    template: template ? { id: template.id, name: template.name } : null,
  }
}

/** Longer than reading any file takes. */
const LEASE_SECONDS = 600

interface Reading {
  module: string
  record_table: string
  file_name: string
  file_key: string
  mime: string
}

/** Reads one file of a user at a time: 409 for a second one. */
async function beginReading(ctx: Ctx, { module, record_table, file_name, file_key, mime }: Reading): Promise<number> {
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
    values (${ctx.tenant.id}, ${module}, ${record_table}, ${file_name}, ${file_key}, ${mime}, '{}', ${ctx.actor.id}, ${ctx.now}, ${ctx.now})
    on conflict (tenant_id, created_by) where is_reading do nothing returning id`.execute(ctx.tx)
  if (!rows[0])
    throw new HttpError(409, 'IMPORT_UNDER_WAY', 'Another file of yours is being read. Send this one when that is done.')
  return rows[0].id
}

/** Deletes an import whose file was not kept. */
async function forgetReading(ctx: Ctx, id: number) {
  await dropChunks(ctx, id)
  await ctx.deleteFrom('imports').where('id', '=', id).where('is_reading', '=', true).execute()
}

async function stage(steps: WorkspaceSteps, importId: number, batches: FileTable['batches']) {
  const sample: FileRow[] = []
  let total_rows = 0
  let n = 0
  for await (const { count, rows } of batches) {
    const place = n++ // outside of the transaction, which is retried when the session changes
    await steps.write((ctx) => keepChunk(ctx, importId, place, rows))
    if (sample.length < SAMPLE) sample.push(...(JSON.parse(rows) as FileRow[]).slice(0, SAMPLE - sample.length))
    total_rows += count
  }
  return { total_rows, sample }
}
