/** NDJSON: one JSON object a line, piece by piece, one for each batch of rows. */
export async function* ndjson(batches: AsyncIterable<unknown[]>): AsyncGenerator<string> {
  for await (const rows of batches) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}
