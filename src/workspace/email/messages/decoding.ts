/** Decodes the bytes of a text part: its transfer encoding, then its charset. Takes time linear in the bytes. */
import { readText } from './charsets.ts'
import type { TextPart } from './structure.ts'
import { fromBase64, fromQuotedPrintable } from './transfer-encodings.ts'

/** A part may be cut anywhere; `isCut` if it is. */
export function decodeText({ mime, charset, encoding, flowed }: TextPart, bytes: Uint8Array, isCut = false): string {
  const read = readText(transferDecoded(encoding, bytes), { declared: charset, isHtml: mime === 'text/html', isCut })
  const text = read.replaceAll('\r\n', '\n').replaceAll('\0', '')
  return (flowed && mime === 'text/plain' ? unflowed(text) : text).toWellFormed()
}

function transferDecoded(encoding: string, bytes: Uint8Array): Uint8Array {
  if (/base64/i.test(encoding)) return fromBase64(bytes)
  return /quoted-printable/i.test(encoding) ? fromQuotedPrintable(bytes) : bytes
}

/** Joins lines that end with a space to the next one (RFC 3676), except the one above a signature. */
function unflowed(text: string): string {
  const pieces: string[] = []
  let goesOn = true
  for (const line of text.split('\n')) {
    const unstuffed = line.startsWith(' ') ? line.slice(1) : line
    if (!goesOn) pieces.push('\n')
    pieces.push(unstuffed)
    goesOn = unstuffed.endsWith(' ') && unstuffed !== '-- '
  }
  return pieces.join('')
}
