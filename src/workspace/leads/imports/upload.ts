/** Taking a file in (LEAD-61). It is read once, to its end, CSV while it streams, XLSX in a child: one that can't be imported is refused here, as a whole. */
import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { HttpError, invalid, notFound } from '#kernel/errors.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { keepUpload, type Upload, type UploadRule } from '#kernel/storage/uploads.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { csvRows, decoded } from './csv.ts'
import { dropChunks, keepChunk, showImport } from './imports.ts'
import { importFields, suggestedMapping } from './schema.ts'
import { type Batch, batchesOf, type FileRow, MAX_BYTES, tableOf, unreadable } from './table.ts'
import type { readWorkbook } from './xlsx.ts'

interface Format {
  mime: string
  /** What the first bytes may stand for, as `file-type` names it; '' is text. Some texts begin like something else: "BMI", "ID3". */
  kinds: readonly string[]
}

const formats = {
  csv: { mime: 'text/csv; charset=utf-8', kinds: ['', 'ps', 'eps', 'bmp', 'stl', 'mp3'] },
  xlsx: { mime: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', kinds: ['xlsx', 'zip'] },
} satisfies Record<string, Format>

export const importTypes = Object.values(formats).map(({ mime }) => mime)

export const importFile: UploadRule = {
  maxBytes: MAX_BYTES,
  kinds: Object.values(formats).flatMap(({ kinds }) => kinds),
  expected: 'a CSV or XLSX file',
}

/** Whether it is CSV or XLSX, by its name and its content; 422 on `file` where they contradict each other. */
function formatOf({ name, kind = '' }: Upload): { format: keyof typeof formats; mime: string } {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  if (extension !== 'csv' && extension !== 'xlsx') throw unreadable('Must be a .csv or .xlsx file, and have a name that says so.')
  const { kinds, mime }: Format = formats[extension]
  if (!kinds.includes(kind)) throw unreadable(`Its content is not that of a .${extension} file.`)
  return { format: extension, mime }
}

const readBook = isolated<typeof readWorkbook>(import.meta.resolve('./xlsx.ts'), 'readWorkbook', {
  seconds: 30,
  megabytes: 700,
})

interface FileTable {
  headers: string[]
  batches: AsyncIterable<Batch> | Iterable<Batch>
}

/** 422 on `file` for one that is empty, too wide or can't be read; the batches may throw that later on. */
async function fileTable({ services, tenant }: WorkspaceSteps, key: string, format: keyof typeof formats): Promise<FileTable> {
  const open = async () => {
    const content = await services.storage.read(key)
    if (!content) throw notFound('There is no such file.')
    return content
  }
  if (format === 'csv') {
    const { headers, rows } = await tableOf(csvRows(decoded(open)))
    return { headers, batches: batchesOf(rows) }
  }
  const book = await readBook(services, tenant.id, await buffer(await open())).catch((error) => {
    throw isBeyondReading(error) ? unreadable('Is more than can be read. Send it as CSV, or in parts.') : error
  })
  if ('wrong' in book) throw unreadable(book.wrong)
  return book
}

/** Rows that are shown of it. */
const SAMPLE = 5

const fields = importFields.map(({ field, title }) => ({ field, title, required: field === 'name' }))

/**
 * The import and what its file looks like. 422 on `file` when it is missing, can't be read, or holds more than the workspace may still
 * store; 409 while another file of the user's is being read.
 */
export async function uploadImport(steps: WorkspaceSteps, file: Upload | undefined) {
  if (!file) throw invalid({ file: 'Is required.' })
  const { format, mime } = formatOf(file)
  await steps.write(leaseUpload)
  try {
    const { headers, batches } = await fileTable(steps, file.key, format)
    return await takeIn(steps, file, { mime, headers, batches })
  } finally {
    await steps.write(endUpload)
  }
}

async function takeIn(steps: WorkspaceSteps, file: Upload, { mime, headers, batches }: FileTable & { mime: string }) {
  const id = await steps.write(async (ctx) => {
    const { rows: found } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence('lead_imports', 'id')) as id`.execute(ctx.tx)
    return found[0]!.id
  })
  try {
    const { total_rows, sample } = await stage(steps, id, batches)
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
      const [shown] = await allPipelined(showImport(ctx, uuid), keepUpload(ctx, file))
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

/** Longer than any file takes. */
const LEASE_SECONDS = 600

/** One file of a user is read at a time: 409 for a second one. */
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
