/** The rows of a file in batches, none of them very large. */
import type { FileRow } from './limits.ts'

const MAX_ROWS = 1000
const MAX_CHARACTERS = 500_000

export interface Batch {
  /** Of rows. */
  count: number
  /** The JSON of its rows. */
  rows: string
}

export async function* batchesOf(rows: AsyncIterable<FileRow>): AsyncGenerator<Batch> {
  let batch: FileRow[] = []
  let characters = 0
  for await (const row of rows) {
    batch.push(row)
    for (const cell of row.cells) characters += cell.length
    if (batch.length < MAX_ROWS && characters < MAX_CHARACTERS) continue
    yield { count: batch.length, rows: JSON.stringify(batch) }
    batch = []
    characters = 0
  }
  if (batch.length) yield { count: batch.length, rows: JSON.stringify(batch) }
}
