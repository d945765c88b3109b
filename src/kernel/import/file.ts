/** A file of rows as it was uploaded: CSV, XLSX or vCards, read once, to its end. CSV and vCards are read while they stream, XLSX in a child. */
import { buffer } from 'node:stream/consumers'
import type { WorkspaceSteps } from '../context.ts'
import { invalid, notFound } from '../errors.ts'
import { isBeyondReading, isolated } from '../isolate/isolated.ts'
import type { Upload, UploadRule } from '../storage/uploads.ts'
import { csvRows, decoded } from './csv.ts'
import { decimalSignIn, type Notation } from './notation.ts'
import { type Batch, batchesOf, MAX_BYTES, type Portions, type TableChoice, tableOf, unreadable } from './table.ts'
import { vcardRows } from './vcard.ts'
import type { readWorkbook } from './xlsx.ts'

interface Format {
  mime: string
  /** What the first bytes may stand for, as `file-type` names it; '' is text. Some texts begin like something else: "BMI", "ID3". */
  kinds: readonly string[]
}

const formats = {
  csv: { mime: 'text/csv; charset=utf-8', kinds: ['', 'ps', 'eps', 'bmp', 'stl', 'mp3'] },
  vcf: { mime: 'text/vcard; charset=utf-8', kinds: ['', 'vcf'] },
  xlsx: { mime: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', kinds: ['xlsx', 'zip'] },
} satisfies Record<string, Format>

export type ImportFormat = keyof typeof formats

/** The format of a file that was taken in before. */
export const formatOfMime = (mime: string): ImportFormat =>
  mime === formats.csv.mime ? 'csv' : mime === formats.vcf.mime ? 'vcf' : 'xlsx'

export const importTypes = Object.values(formats).map(({ mime }) => mime)

export const importFile: UploadRule = {
  maxBytes: MAX_BYTES,
  kinds: Object.values(formats).flatMap(({ kinds }) => kinds),
  expected: 'a CSV, XLSX or vCard file',
}

/** Whether it is CSV or XLSX, by its name and its content; 422 on `file` where they contradict each other. */
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

export interface FileTable {
  headers: string[]
  /** Number of the row with the headers. */
  header_row: number
  /** Of an XLSX file: the sheet of the table, and the names of all sheets. */
  sheet: string | null
  sheets: string[]
  batches: AsyncIterable<Batch> | Iterable<Batch>
  /** How its texts seem to write numbers and days; complete once the batches have been read. */
  notation(): Notation
}

interface ReadOptions {
  portions: Portions
  choice?: TableChoice
  /** Keys of the titles that columns may have, by which a header below other rows is recognised. */
  titles?: string[]
}

/** 422 on `file` for one that is empty, too wide or can't be read, on `sheet` and `header_row` for a choice that it hasn't; the batches may throw that later on. */
export async function fileTable(
  steps: WorkspaceSteps,
  key: string,
  format: ImportFormat,
  { portions, choice = {}, titles = [] }: ReadOptions,
): Promise<FileTable> {
  const { services, tenant } = steps
  const open = async () => {
    const content = await services.storage.read(key)
    if (!content) throw notFound('There is no such file.')
    return content
  }
  if (format !== 'xlsx') {
    const type = format === 'csv' ? 'CSV' : 'vCard'
    if (choice.sheet !== undefined) throw invalid({ sheet: `A ${type} file has no sheets.` })
    const layout = { header_row: choice.header_row, titles: new Set(titles) }
    // Where a comma is the decimal sign, cells are separated by something else. The workspace's locale may have changed since the session was cached.
    const { locale } = await steps.read(async (ctx) => ctx.tenant)
    let usual: Notation['decimal_sign'] = '.'
    const onDelimiter = (delimiter: string) => {
      if (delimiter !== ',') usual = decimalSignIn(locale)
    }
    const all = format === 'csv' ? csvRows(decoded(open), onDelimiter) : vcardRows(decoded(open))
    const { headers, header_row, rows, evidence } = await tableOf(all, portions, layout)
    const batches = batchesOf(rows, portions)
    return { headers, header_row, sheet: null, sheets: [], batches, notation: () => evidence.proposal(usual) }
  }
  const content = await buffer(await open())
  const book = await readBook(services, tenant.id, { content, portions, choice, titles }).catch((error) => {
    throw isBeyondReading(error) ? unreadable('Is more than can be read. Send it as CSV, or in parts.') : error
  })
  if ('wrong' in book) throw invalid(book.wrong)
  const { notation, ...table } = book
  return { ...table, notation: () => notation }
}
