/** Text of unknown encoding: Unicode in 16 bits with a byte order mark, UTF-8 with or without one, else Windows-1252. */
import { unreadable } from './limits.ts'

type Bytes = AsyncIterable<Uint8Array>

/** The text of some bytes. `read` opens them from their beginning; they are read twice where nothing at their beginning tells. */
export async function* decoded(read: () => Promise<Bytes>): AsyncGenerator<string> {
  const decoder = new TextDecoder(await encodingOf(read))
  for await (const bytes of await read()) yield refuseBinary(decoder.decode(bytes, { stream: true }))
  yield refuseBinary(decoder.decode())
}

async function encodingOf(read: () => Promise<Bytes>) {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let isFirst = true
  try {
    for await (const bytes of await read()) {
      if (isFirst && bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
      if (isFirst && bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
      isFirst = false
      utf8.decode(bytes, { stream: true })
    }
    utf8.decode()
    return 'utf-8'
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    return 'windows-1252'
  }
}

function refuseBinary(text: string) {
  if (text.includes('\0')) throw unreadable('Must be text: UTF-8, another Unicode with a byte order mark, or Windows-1252.')
  return text
}
