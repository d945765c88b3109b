/** CSV as spreadsheets open it: UTF-8 with a byte order mark, RFC 4180. */
import { inGroups, inSlices } from '../loop-slices.ts'
import { type Column, cellText, guarded } from './columns.ts'

/** A break of any kind stands in quotes: many readers end a line at each of them. */
const OPTIONS = { record_delimiter: 'windows', quoted_match: /[\r\n]/ } as const

/** Characters that are written at once. */
const GROUP = 65_536

/** The file piece by piece, made in slices that are charged to the workspace. */
export async function* csv<R>(
  columns: readonly Column<R>[],
  batches: AsyncIterable<R[]>,
  workspace: number,
): AsyncGenerator<string> {
  const { stringify } = await import('csv-stringify/sync')
  const lines = (records: string[][]) => stringify(records, OPTIONS)
  yield `\ufeff${lines([columns.map(({ title }) => guarded(title))])}`
  const lengthOf = (cells: string[]) => cells.reduce((sum, cell) => sum + cell.length, 0)
  for await (const rows of batches) {
    const records = await inSlices(workspace, rows, (row) => columns.map((column) => cellText(column, row)))
    yield (await inSlices(workspace, inGroups(records, lengthOf, GROUP), lines)).join('')
  }
}
