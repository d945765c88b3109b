/** Writes CSV for spreadsheets: UTF-8 with a byte order mark, RFC 4180. */
import { inGroups, inSlices } from '../loop-slices.ts'
import { type Column, cellText, guarded } from './columns.ts'

/** Every kind of line break is quoted, because many readers end a line at each of them. */
const OPTIONS = { record_delimiter: 'windows', quoted_match: /[\r\n]/ } as const

/** Number of characters written at once. */
const GROUP = 65_536

/** Yields the file in chunks, computed in time slices that count for the workspace. */
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
