/** CSV (RFC 4180) as spreadsheets write it: of unknown encoding, with commas, semicolons or tabs, and line breaks inside quotes. */
import { pipeline, Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Info } from 'csv-parse'
import { withoutDelimiterLine } from '../values/csv-delimiter-line.ts'
import { type FileRow, MAX_CHARACTERS_OF_ROW, MAX_COLUMNS, unreadable } from './table.ts'

type Bytes = AsyncIterable<Uint8Array>

/** The text of some bytes. `read` opens them from their beginning; they are read twice where nothing at their beginning tells. */
export async function* decoded(read: () => Promise<Bytes>): AsyncGenerator<string> {
  const decoder = new TextDecoder(await encodingOf(read))
  for await (const bytes of await read()) yield refuseBinary(decoder.decode(bytes, { stream: true }))
  yield refuseBinary(decoder.decode())
}

/** Unicode in 16 bits with a byte order mark, UTF-8 with or without one, else Windows-1252. */
async function encodingOf(read: () => Promise<Bytes>) {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let isFirst = true
  try {
    for await (const bytes of await read()) {
      if (isFirst && bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
      if (isFirst && bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
      isFirst = false
      utf8.decode(bytes, { stream: true })
    }
    utf8.decode()
    return 'utf-8'
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    return 'windows-1252'
  }
}

function refuseBinary(text: string) {
  if (text.includes('\0')) throw unreadable('Must be text: UTF-8, another Unicode with a byte order mark, or Windows-1252.')
  return text
}

/** As far as a delimiter is looked for, in characters. */
const HEAD = 64 * 1024

/** Characters without a line end: a row is at most half as long, and each of its characters may be a quote, which is written twice. */
const MAX_LINE = 2 * MAX_CHARACTERS_OF_ROW + 2 * MAX_COLUMNS
/** Blank ones too. */
const MAX_LINES = 1_000_000

/** So many characters are parsed at once: rows of a few characters follow each other without a turn for anybody else. */
const SLICE = 8 * 1024

/** The text in short slices, each with a turn of its own. 422 on `file` for one whose lines are longer or more than a parser should be given. */
async function* judged(text: AsyncIterable<string>): AsyncGenerator<string> {
  let [lines, length] = [0, 0]
  for await (const piece of text)
    for (let at = 0; at < piece.length; at += SLICE) {
      const slice = piece.slice(at, at + SLICE)
      let begin = 0
      for (let end = slice.indexOf('\n'); end >= 0; end = slice.indexOf('\n', begin)) {
        judge(length + end - begin, ++lines)
        begin = end + 1
        length = 0
      }
      length += slice.length - begin
      judge(length, lines)
      yield slice
      await setImmediate()
    }
}

function judge(length: number, lines: number) {
  if (length > MAX_LINE) throw unreadable('Has a line that is too long.')
  if (lines > MAX_LINES) throw unreadable(`Must have at most ${MAX_LINES} lines. Send it in parts.`)
}

/** Returns the rows of a text, the header first, and calls `onDelimiter` before them. 422 on `file` where it breaks the rules of CSV. */
export async function* csvRows(text: AsyncGenerator<string>, onDelimiter = (_: string) => {}): AsyncGenerator<FileRow> {
  const { CsvError, parse } = await import('csv-parse')
  const { delimiter, whole } = await beginning(text)
  onDelimiter(delimiter)
  const parser = parse({
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true, // but they are counted
    max_record_size: MAX_CHARACTERS_OF_ROW,
    info: true,
  })
  pipeline(Readable.from(judged(whole)), parser, () => {}) // its errors are thrown below
  let n = 0
  try {
    for await (const { info, record: cells } of parser as AsyncIterable<{ info: Info; record: string[] }>) {
      n = info.records + info.empty_lines
      yield { n, cells }
    }
  } catch (error) {
    if (error instanceof CsvError) throw unreadable(`Is no sound CSV behind row ${n}: ${error.message}`)
    throw error
  }
}

async function beginning(text: AsyncGenerator<string>) {
  let head = ''
  while (head.length < HEAD) {
    const next = await text.next()
    if (next.done) break
    head += next.value
  }
  // Rows are counted after a line that names the delimiter.
  const { text: begun, delimiter } = withoutDelimiterLine(head)
  async function* whole() {
    yield begun
    yield* text
  }
  return { delimiter: delimiter ?? delimiterOf(head), whole: whole() }
}

const DELIMITERS = [',', ';', '\t']
/** Lines at which a delimiter is looked for. */
const HEAD_LINES = 20

/**
 * Returns the delimiter of a table: the one that most of the first lines have equally often, so that a title above the table doesn't decide. Of
 * several, the one that is there more often.
 */
function delimiterOf(head: string): string {
  const lines = linesOutsideQuotes(head)
  const scored = DELIMITERS.map((delimiter) => {
    const counts = new Map<number, number>()
    for (const line of lines) {
      const count = line.get(delimiter) ?? 0
      if (count) counts.set(count, (counts.get(count) ?? 0) + 1)
    }
    const [often = 0, agreeing = 0] = [...counts].sort(([a, n], [b, m]) => m - n || b - a)[0] ?? []
    return { delimiter, often, agreeing }
  })
  return scored.toSorted((a, b) => b.agreeing - a.agreeing || b.often - a.often)[0]!.delimiter
}

/** How often each delimiter stands outside of quotes, for each of the first lines that aren't empty. */
function linesOutsideQuotes(head: string): Map<string, number>[] {
  const lines: Map<string, number>[] = []
  let line: Map<string, number> | undefined
  let isQuoted = false
  for (const char of head) {
    if (char === '"') isQuoted = !isQuoted
    if (!isQuoted && (char === '\n' || char === '\r')) {
      line = undefined
      if (lines.length === HEAD_LINES) break
      continue
    }
    if (!line) lines.push((line = new Map()))
    if (!isQuoted && DELIMITERS.includes(char)) line.set(char, (line.get(char) ?? 0) + 1)
  }
  return lines
}
