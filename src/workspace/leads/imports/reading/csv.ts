/** CSV (RFC 4180) as spreadsheets write it: with commas, semicolons or tabs, and line breaks inside quotes. */
import { pipeline, Readable } from 'node:stream'
import { CsvError, type Info, parse } from 'csv-parse'
import { type FileRow, MOST_CHARACTERS_OF_ROW, unreadable } from './limits.ts'

/** As far as a delimiter is looked for, in characters. */
const HEAD = 64 * 1024

/** The rows of a text, the header first. 422 on `file` where it breaks the rules of CSV. */
export async function* csvRows(text: AsyncGenerator<string>): AsyncGenerator<FileRow> {
  const { head, whole } = await beginning(text)
  const parser = parse({
    delimiter: delimiterOf(head),
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MOST_CHARACTERS_OF_ROW,
    info: true,
  })
  pipeline(Readable.from(whole), parser, () => {}) // its errors are thrown below
  let n = 0
  try {
    for await (const { record: cells } of parser as AsyncIterable<{ info: Info; record: string[] }>) yield { n: ++n, cells }
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
  async function* whole() {
    yield head
    yield* text
  }
  return { head, whole: whole() }
}

/** The one of the three that the first line has most of outside of quotes. */
function delimiterOf(head: string) {
  const counts = new Map([',', ';', '\t'].map((char) => [char, 0]))
  let isQuoted = false
  for (const char of head) {
    if (char === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (char === '\n' || char === '\r') break
    else if (counts.has(char)) counts.set(char, counts.get(char)! + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]![0]
}
