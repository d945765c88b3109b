/** The rows of a file as a table: its headers, then what is below them, in batches, bounded whatever the file claims to be. */
import { invalid } from '../errors.ts'
import { NotationEvidence } from './notation.ts'

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

/** A row of the file: its cells as text, and its number as a spreadsheet counts it, the first one being 1. */
export interface FileRow {
  n: number
  cells: string[]
  /** Columns whose cell is stored as a number and has decimals: with a point, whatever the notation of the file's texts is. */
  numeric?: number[]
}

/** Where the table of a file begins, as far as the user has chosen that. */
export interface TableChoice {
  /** Name of the sheet. */
  sheet?: string
  /** Number of the row with the column headers. */
  header_row?: number
}

export const unreadable = (message: string) => invalid({ file: message })

/** A title as it is compared with others: without its case, spaces and signs. */
export const titleKey = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

interface Table {
  headers: string[]
  header_row: number
  rows: AsyncGenerator<FileRow>
  /** Complete once the rows have been read. */
  evidence: NotationEvidence
}

/** Rows among which the header is looked for. */
const HEAD_ROWS = 20

/**
 * 422 on `file` for one that is empty, too wide or can't be read, on `header_row` for a chosen row that is empty; the rows may throw that later on.
 * `titles` are keys of the titles that the columns may have: by them a header below other rows is recognised.
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
    await rows.return(undefined) // or the file would stay open
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
 * The place of the header: the first row, unless a title stands above the table. A later row is the header where its cells are known titles,
 * or where all rows above it have one cell and it has several different texts.
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
  const isShort = width === 2 // one header above two columns is as likely as a title
  return isHeader && !isShort ? below : 0
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
