/** The rows of a file as a table: its headers, then what is below them, in batches, bounded whatever the file claims to be. */
import { invalid } from '../errors.ts'

export const MAX_BYTES = 50 * 1024 * 1024
export const MAX_COLUMNS = 100
const MAX_ROWS = 100_000
/** Of all cells: an XLSX file says once what many cells hold. */
const MAX_CHARACTERS = 50_000_000
export const MAX_CHARACTERS_OF_ROW = 200_000

/** What an import takes at once. */
export interface Portions {
  /** Characters of a cell. */
  cell: number
  /** Rows of a batch. */
  batch: number
}

/** A row of the file: its cells as text, and its number as a spreadsheet counts it, the header being row 1. */
export interface FileRow {
  n: number
  cells: string[]
}

export const unreadable = (message: string) => invalid({ file: message })

interface Table {
  headers: string[]
  rows: AsyncGenerator<FileRow>
}

/** 422 on `file` for one that is empty, too wide or can't be read; the rows may throw that later on. */
export async function tableOf(rows: AsyncGenerator<FileRow>, portions: Portions): Promise<Table> {
  try {
    for (;;) {
      const first = await rows.next()
      if (first.done) throw unreadable('Must have a header row.')
      if (!isBlank(first.value)) return { headers: headersOf(first.value), rows: checked(rows, portions) }
    }
  } catch (error) {
    await rows.return(undefined) // or the file would stay open
    throw error
  }
}

const isBlank = ({ cells }: FileRow) => cells.every((cell) => cell.trim() === '')

/** A column without a header gets one by its number; of several that are the same, the later ones are numbered. */
function headersOf({ cells }: FileRow): string[] {
  const last = cells.findLastIndex((cell) => cell.trim() !== '')
  if (last >= MAX_COLUMNS) throw unreadable(`Must be at most ${MAX_COLUMNS} columns wide.`)
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

async function* checked(rows: AsyncGenerator<FileRow>, { cell: most }: Portions): AsyncGenerator<FileRow> {
  let [count, characters] = [0, 0]
  for await (const row of rows) {
    if (isBlank(row)) continue
    if (++count > MAX_ROWS) throw unreadable(`Must have at most ${MAX_ROWS} rows. Send it in parts.`)
    if (row.cells.length > MAX_COLUMNS) throw unreadable(`Must be at most ${MAX_COLUMNS} columns wide: row ${row.n} is wider.`)
    if (row.cells.some((cell) => cell.length > most))
      throw unreadable(`A cell must be at most ${most} characters: one of row ${row.n} is longer.`)
    for (const cell of row.cells) characters += cell.length
    if (characters > MAX_CHARACTERS)
      throw unreadable(`Must hold at most ${MAX_CHARACTERS / 1e6} million characters. Send it in parts.`)
    yield row
  }
}

const BATCH_CHARACTERS = 500_000

export interface Batch {
  /** Of rows. */
  count: number
  /** The JSON of its rows. */
  rows: string
}

export async function* batchesOf(rows: AsyncIterable<FileRow>, { batch: most }: Portions): AsyncGenerator<Batch> {
  let batch: FileRow[] = []
  let characters = 0
  for await (const row of rows) {
    batch.push(row)
    for (const cell of row.cells) characters += cell.length
    if (batch.length < most && characters < BATCH_CHARACTERS) continue
    yield { count: batch.length, rows: JSON.stringify(batch) }
    batch = []
    characters = 0
  }
  if (batch.length) yield { count: batch.length, rows: JSON.stringify(batch) }
}
