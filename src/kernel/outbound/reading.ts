/** Reads an untrusted HTTP response up to a maximum size. */

/** Returns the text of a reply. Throws if it exceeds `maxBytes`, without reading further. */
export async function wholeText({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    if ((bytes += chunk.length) > maxBytes) throw new Error(`The reply is longer than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
