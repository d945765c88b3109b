/** Rows as a table: its headers, then what is below them, within the limits. */
import { type FileRow, MAX_CHARACTERS, MAX_CHARACTERS_OF_CELL, MAX_COLUMNS, MAX_ROWS, unreadable } from './limits.ts'

export interface Table {
  headers: string[]
  rows: AsyncGenerator<FileRow>
}

/** 422 on `file` for one that is empty, too wide or can't be read; the rows may throw that later on. */
export async function tableOf(rows: AsyncGenerator<FileRow>): Promise<Table> {
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

async function* checked(rows: AsyncGenerator<FileRow>): AsyncGenerator<FileRow> {
  let [count, characters] = [0, 0]
  for await (const row of rows) {
    if (isBlank(row)) continue
    if (++count > MAX_ROWS) throw unreadable(`Must have at most ${MAX_ROWS} rows. Send it in parts.`)
    if (row.cells.length > MAX_COLUMNS) throw unreadable(`Must be at most ${MAX_COLUMNS} columns wide: row ${row.n} is wider.`)
    if (row.cells.some((cell) => cell.length > MAX_CHARACTERS_OF_CELL))
      throw unreadable(`A cell must be at most ${MAX_CHARACTERS_OF_CELL} characters: one of row ${row.n} is longer.`)
    for (const cell of row.cells) characters += cell.length
    if (characters > MAX_CHARACTERS)
      throw unreadable(`Must hold at most ${MAX_CHARACTERS / 1e6} million characters. Send it in parts.`)
    yield row
  }
}
