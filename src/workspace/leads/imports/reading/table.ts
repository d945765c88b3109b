/** An uploaded file as a table: its headers, then its rows, whichever format it has. */
import { buffer } from 'node:stream/consumers'
import { notFound } from '#kernel/errors.ts'
import type { Storage } from '#kernel/storage/storage.ts'
import type { Upload, UploadRule } from '#kernel/storage/uploads.ts'
import { csvRows } from './csv.ts'
import { decoded } from './decoding.ts'
import { type FileRow, MOST_BYTES, MOST_CHARACTERS_OF_CELL, MOST_COLUMNS, MOST_ROWS, unreadable } from './limits.ts'
import { xlsxRows } from './xlsx.ts'

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
  maxBytes: MOST_BYTES,
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

export interface Table {
  headers: string[]
  rows: AsyncGenerator<FileRow>
}

/** 422 on `file` for one that is empty, too wide or can't be read; the rows may throw that later on. */
export async function tableOf(storage: Storage, key: string, format: keyof typeof formats): Promise<Table> {
  const open = async () => {
    const content = await storage.read(key)
    if (!content) throw notFound('There is no such file.')
    return content
  }
  const rows = format === 'csv' ? csvRows(decoded(open)) : xlsxRows(await buffer(await open()))
  for (;;) {
    const first = await rows.next()
    if (first.done) throw unreadable('Must have a header row.')
    if (!isBlank(first.value)) return { headers: headersOf(first.value), rows: checked(rows) }
  }
}

const isBlank = ({ cells }: FileRow) => cells.every((cell) => cell.trim() === '')

/** A column without a header gets one by its number; of several that are the same, the later ones are numbered. */
function headersOf({ cells }: FileRow): string[] {
  const last = cells.findLastIndex((cell) => cell.trim() !== '')
  if (last >= MOST_COLUMNS) throw unreadable(`Must be at most ${MOST_COLUMNS} columns wide.`)
  const seen = new Set<string>()
  return cells.slice(0, last + 1).map((cell, n) => {
    const header = cell.trim() || `Column ${n + 1}`
    if (header.length > 255) throw unreadable('A header must be at most 255 characters.')
    let name = header
    for (let again = 2; seen.has(name); again++) name = `${header} (${again})`
    seen.add(name)
    return name
  })
}

async function* checked(rows: AsyncGenerator<FileRow>): AsyncGenerator<FileRow> {
  let count = 0
  for await (const row of rows) {
    if (isBlank(row)) continue
    if (++count > MOST_ROWS) throw unreadable(`Must have at most ${MOST_ROWS} rows. Send it in parts.`)
    if (row.cells.length > MOST_COLUMNS) throw unreadable(`Must be at most ${MOST_COLUMNS} columns wide: row ${row.n} is wider.`)
    if (row.cells.some((cell) => cell.length > MOST_CHARACTERS_OF_CELL))
      throw unreadable(`A cell must be at most ${MOST_CHARACTERS_OF_CELL} characters: one of row ${row.n} is longer.`)
    yield row
  }
}
