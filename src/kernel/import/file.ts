/** A file of rows as it was uploaded: CSV or XLSX, read once, to its end. CSV is read while it streams, XLSX in a child. */
import { buffer } from 'node:stream/consumers'
import type { WorkspaceSteps } from '../context.ts'
import { notFound } from '../errors.ts'
import { isBeyondReading, isolated } from '../isolate/isolated.ts'
import type { Upload, UploadRule } from '../storage/uploads.ts'
import { csvRows, decoded } from './csv.ts'
import { type Batch, batchesOf, MAX_BYTES, type Portions, tableOf, unreadable } from './table.ts'
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
export function formatOf({ name, kind = '' }: Upload): { format: keyof typeof formats; mime: string } {
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

export interface FileTable {
  headers: string[]
  batches: AsyncIterable<Batch> | Iterable<Batch>
}

/** 422 on `file` for one that is empty, too wide or can't be read; the batches may throw that later on. */
export async function fileTable(
  { services, tenant }: WorkspaceSteps,
  key: string,
  format: keyof typeof formats,
  portions: Portions,
): Promise<FileTable> {
  const open = async () => {
    const content = await services.storage.read(key)
    if (!content) throw notFound('There is no such file.')
    return content
  }
  if (format === 'csv') {
    const { headers, rows } = await tableOf(csvRows(decoded(open)), portions)
    return { headers, batches: batchesOf(rows, portions) }
  }
  const content = await buffer(await open())
  const book = await readBook(services, tenant.id, { content, portions }).catch((error) => {
    throw isBeyondReading(error) ? unreadable('Is more than can be read. Send it as CSV, or in parts.') : error
  })
  if ('wrong' in book) throw unreadable(book.wrong)
  return book
}
