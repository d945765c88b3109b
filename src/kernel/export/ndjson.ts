/** Writes NDJSON, one JSON object per line, in chunks computed in time slices that count for the workspace. */
import { inSlices } from '../loop-slices.ts'

export async function* ndjson(batches: AsyncIterable<unknown[]>, workspace: number): AsyncGenerator<string> {
  for await (const rows of batches) yield (await inSlices(workspace, rows, (row) => `${JSON.stringify(row)}\n`)).join('')
}
