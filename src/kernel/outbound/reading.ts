/** What another server answers, of which no more is kept than a bound: it may be broken, or not who it should be. */

/** The whole text of a reply; throws where it is longer than so many bytes, and reads no further. */
export async function wholeText({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    if ((bytes += chunk.length) > maxBytes) throw new Error(`The reply is longer than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
