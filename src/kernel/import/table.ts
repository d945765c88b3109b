/** Rows of a file as a table: its headers, and the rows below them in batches, within limits whatever the file claims. */
import { invalid } from '../errors.ts'
import { NotationEvidence } from './notation.ts'

export const MAX_BYTES = 50 * 1024 * 1024
export const MAX_COLUMNS = 100
const MAX_ROWS = 100_000
/** Maximum number of characters of all cells: an XLSX file may store a text once for many cells. */
const MAX_CHARACTERS = 50_000_000
export const MAX_CHARACTERS_OF_ROW = 200_000

/** Limits of an import. */
export interface Portions {
  /** Maximum number of characters per cell. */
  cell: number
  /** Maximum number of rows per batch. */
  batch: number
}

/** A row of the file: its cells as text, and its one-based number in a spreadsheet. */
export interface FileRow {
  n: number
  cells: string[]
  /**
   * Columns whose cell is stored as a number with decimals: it has a decimal point, whatever the notation of the file's texts.
   */
  numeric?: number[]
}

/** The user's choice of a file's table, if any. */
export interface TableChoice {
  /** Name of the sheet. */
  sheet?: string
  /** Number of the row with the column headers. */
  header_row?: number
}

/** Returns a 422 on `file`. */
export const unreadable = (message: string) => invalid({ file: message })

/** Key for comparing titles: without case, spaces and signs. */
export const titleKey = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

interface Table {
  headers: string[]
  header_row: number
  rows: AsyncGenerator<FileRow>
  /** Complete once all rows have been read. */
  evidence: NotationEvidence
}

/** Number of rows among which the header is searched. */
const HEAD_ROWS = 20

/**
 * Finds the table among rows. Throws 422 on `file` if it is empty, too wide or unreadable, and on `header_row` if the chosen row
 * is empty; the rows may throw later. `titles` are keys of possible column titles, by which a header below other rows is
 * recognised.
 */
export async function tableOf(
  rows: AsyncGenerator<FileRow>,
  portions: Portions,
  { header_row, titles = new Set() }: { header_row?: number; titles?: ReadonlySet<string> } = {},
): Promise<Table> {
  try {
    const head: FileRow[] = []
    while (head.length < (header_row === undefined ? HEAD_ROWS : 1)) {
      const next = await rows.next()
      if (next.done) break
      if (!isBlank(next.value) && next.value.n >= (header_row ?? 0)) head.push(next.value)
    }
    if (header_row !== undefined && head[0]?.n !== header_row)
      throw invalid({ header_row: 'Must be the number of a row that has texts.' })
    if (!head.length) throw unreadable('Must have a header row.')
    const at = header_row === undefined ? headerAmong(head, titles) : 0
    const header = head[at]!
    const evidence = new NotationEvidence()
    const rest = concatenated(head.slice(at + 1), rows)
    return { headers: headersOf(header), header_row: header.n, rows: checked(rest, portions, evidence), evidence }
  } catch (error) {
    await rows.return(undefined) // otherwise the file would stay open
    throw error
  }
}

async function* concatenated(first: FileRow[], rest: AsyncGenerator<FileRow>): AsyncGenerator<FileRow> {
  try {
    yield* first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

const filled = ({ cells }: FileRow) => cells.filter((cell) => cell.trim() !== '')

/**
 * Returns the index of the header: the first row, unless the table has a heading above it. A later row is the header if its cells
 * are known titles, or if all rows above it have one cell and it has several distinct texts.
 */
function headerAmong(rows: FileRow[], titles: ReadonlySet<string>): number {
  const known = rows.map(
    (row) =>
      new Set(
        filled(row)
          .map(titleKey)
          .filter((key) => titles.has(key)),
      ).size,
  )
  if (known[0]) return 0
  const width = Math.max(...rows.map((row) => filled(row).length))
  const named = known.findIndex((count, n) => count >= Math.min(2, filled(rows[n]!).length))
  if (width > 1 && named > 0 && filled(rows[named]!).length > 1) return named
  const below = rows.findIndex((row) => filled(row).length > 1)
  const texts = below > 0 ? filled(rows[below]!) : []
  const isHeader = texts.length * 2 > width && texts.every((text) => /\p{L}/u.test(text)) && new Set(texts).size === texts.length
  const isShort = width === 2 // one header above two columns is as likely as a heading
  return isHeader && !isShort ? below : 0
}

const isBlank = ({ cells }: FileRow) => cells.every((cell) => cell.trim() === '')

/** Returns the headers. A column without one is named by its number; duplicates get a number. */
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

async function* checked(
  rows: AsyncGenerator<FileRow>,
  { cell: most }: Portions,
  evidence: NotationEvidence,
): AsyncGenerator<FileRow> {
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
    evidence.observe(row)
    yield row
  }
}

const BATCH_CHARACTERS = 500_000

/** A batch of rows. */
export interface Batch {
  /** Number of rows. */
  count: number
  /** JSON of the rows. */
  rows: string
}

/** Groups rows into batches. */
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
