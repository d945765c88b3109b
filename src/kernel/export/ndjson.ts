/** NDJSON: one JSON object a line, piece by piece, made in slices that are charged to the workspace. */
import { inSlices } from '../loop-slices.ts'

export async function* ndjson(batches: AsyncIterable<unknown[]>, workspace: number): AsyncGenerator<string> {
  for await (const rows of batches) yield (await inSlices(workspace, rows, (row) => `${JSON.stringify(row)}\n`)).join('')
}
