/** CSV as spreadsheets open it: UTF-8 with a byte order mark, RFC 4180. */
import { stringify } from 'csv-stringify/sync'
import { type Column, cellText } from './columns.ts'

/** The file piece by piece, one for each batch of rows. */
export async function* csv<R>(columns: readonly Column<R>[], batches: AsyncIterable<R[]>): AsyncGenerator<string> {
  const lines = (records: string[][]) => stringify(records, { record_delimiter: 'windows' })
  yield `\ufeff${lines([columns.map(({ title }) => title)])}`
  for await (const rows of batches) yield lines(rows.map((row) => columns.map((column) => cellText(column, row))))
}
