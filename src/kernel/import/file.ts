/** Reads an uploaded file of rows once: CSV and vCards are parsed while they stream, XLSX in a child process. */
import { buffer } from 'node:stream/consumers'
import type { WorkspaceSteps } from '../context.ts'
import { invalid, notFound } from '../errors.ts'
import { isBeyondReading, isolated } from '../isolate/isolated.ts'
import type { Upload, UploadRule } from '../storage/uploads.ts'
import { csvRows, decoded } from './csv.ts'
import { decimalSignIn, type Notation } from './notation.ts'
import { type Batch, batchesOf, type FileRow, MAX_BYTES, type Portions, type TableChoice, tableOf, unreadable } from './table.ts'
import { vcardRows } from './vcard.ts'
import type { readWorkbook } from './xlsx.ts'

interface Format {
  mime: string
  /** Types that `file-type` may detect from the first bytes; '' is text. Some texts begin like other types: "BMI", "ID3". */
  kinds: readonly string[]
}

const formats = {
  csv: { mime: 'text/csv; charset=utf-8', kinds: ['', 'ps', 'eps', 'bmp', 'stl', 'mp3'] },
  vcf: { mime: 'text/vcard; charset=utf-8', kinds: ['', 'vcf'] },
  xlsx: { mime: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', kinds: ['xlsx', 'zip'] },
} satisfies Record<string, Format>

export type ImportFormat = keyof typeof formats

/** Returns the format of a stored file. */
export const formatOfMime = (mime: string): ImportFormat =>
  mime === formats.csv.mime ? 'csv' : mime === formats.vcf.mime ? 'vcf' : 'xlsx'

/** Media types of import files. */
export const importTypes = Object.values(formats).map(({ mime }) => mime)

/** Upload rule of an import's file. */
export const importFile: UploadRule = {
  maxBytes: MAX_BYTES,
  kinds: Object.values(formats).flatMap(({ kinds }) => kinds),
  expected: 'a CSV, XLSX or vCard file',
}

/** Returns the format, by name and content. Throws 422 on `file` if they contradict each other. */
export function formatOf({ name, kind = '' }: Upload): { format: ImportFormat; mime: string } {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  if (extension !== 'csv' && extension !== 'xlsx' && extension !== 'vcf')
    throw unreadable('Must be a .csv, .xlsx or .vcf file, and have a name that says so.')
  const { kinds, mime }: Format = formats[extension]
  if (!kinds.includes(kind)) throw unreadable(`Its content is not that of a .${extension} file.`)
  return { format: extension, mime }
}

const readBook = isolated<typeof readWorkbook>(import.meta.resolve('./xlsx.ts'), 'readWorkbook', {
  seconds: 30,
  megabytes: 700,
})

/** Table of a file, with its rows in batches. */
export interface FileTable {
  headers: string[]
  /** Number of the row with the headers. */
  header_row: number
  /** For XLSX: the sheet of the table, and the names of all sheets. */
  sheet: string | null
  sheets: string[]
  batches: AsyncIterable<Batch> | Iterable<Batch>
  /** Returns the apparent notation of numbers and dates in its texts, in doubt the locale's; complete once all batches have been read. */
  notation(locale: string): Notation
}

/** Table whose rows an import has stored. */
export interface StagedTable extends Omit<FileTable, 'batches' | 'notation'> {
  total_rows: number
  /** The first rows. */
  sample: FileRow[]
  notation: Notation
}

interface ReadOptions {
  portions: Portions
  choice?: TableChoice
  /** Keys of possible column titles, by which a header below other rows is recognised. */
  titles?: string[]
}

/**
 * Opens a file's table. Throws 422 on `file` if it is empty, too wide or unreadable, and on `sheet` and `header_row` for an
 * invalid choice; the batches may throw later.
 */
export async function fileTable(
  { services, tenant }: WorkspaceSteps,
  key: string,
  format: ImportFormat,
  { portions, choice = {}, titles = [] }: ReadOptions,
): Promise<FileTable> {
  const open = async () => {
    const content = await services.storage.read(key)
    if (!content) throw notFound('There is no such file.')
    return content
  }
  if (format !== 'xlsx') {
    const type = format === 'csv' ? 'CSV' : 'vCard'
    if (choice.sheet !== undefined) throw invalid({ sheet: `A ${type} file has no sheets.` })
    const layout = { header_row: choice.header_row, titles: new Set(titles) }
    let delimiter = ','
    const onDelimiter = (found: string) => void (delimiter = found)
    const all = format === 'csv' ? csvRows(decoded(open), onDelimiter) : vcardRows(decoded(open))
    const { headers, header_row, rows, evidence } = await tableOf(all, portions, layout)
    const batches = batchesOf(rows, portions)
    // Where a comma is the decimal sign, cells are separated by something else.
    const notation = (locale: string) => evidence.proposal(delimiter === ',' ? '.' : decimalSignIn(locale))
    return { headers, header_row, sheet: null, sheets: [], batches, notation }
  }
  const content = await buffer(await open())
  const book = await readBook(services, tenant.id, { content, portions, choice, titles }).catch((error) => {
    throw isBeyondReading(error) ? unreadable('Is more than can be read. Send it as CSV, or in parts.') : error
  })
  if ('wrong' in book) throw invalid(book.wrong)
  const { notation, ...table } = book
  return { ...table, notation: () => notation }
}
