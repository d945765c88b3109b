/** CSV as spreadsheets open it: UTF-8 with a byte order mark, RFC 4180. */
import { type Column, cellText, guarded } from './columns.ts'

/** A break of any kind stands in quotes: many readers end a line at each of them. */
const OPTIONS = { record_delimiter: 'windows', quoted_match: /[\r\n]/ } as const

/** The file piece by piece, one for each batch of rows. */
export async function* csv<R>(columns: readonly Column<R>[], batches: AsyncIterable<R[]>): AsyncGenerator<string> {
  const { stringify } = await import('csv-stringify/sync')
  const lines = (records: string[][]) => stringify(records, OPTIONS)
  yield `\ufeff${lines([columns.map(({ title }) => guarded(title))])}`
  for await (const rows of batches) yield lines(rows.map((row) => columns.map((column) => cellText(column, row))))
}
