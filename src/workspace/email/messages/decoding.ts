/** Text out of the bytes of a part: its transfer encoding undone, its charset read. Takes time linear in the bytes. */
import type { TextPart } from './structure.ts'
import { charsetOf } from './tnef.ts'

/** Bytes that are no character of the charset become U+FFFD. A part may be cut anywhere. */
export function decodeText({ mime, charset, encoding, flowed }: TextPart, bytes: Uint8Array): string {
  const text = decoderFor(charset).decode(transferDecoded(encoding, bytes)).replaceAll('\r\n', '\n').replaceAll('\0', '')
  return (flowed && mime === 'text/plain' ? unflowed(text) : text).toWellFormed()
}

function transferDecoded(encoding: string, bytes: Uint8Array): Uint8Array {
  if (/base64/i.test(encoding)) return fromBase64(bytes)
  return /quoted-printable/i.test(encoding) ? fromQuotedPrintable(bytes) : bytes
}

/** Padding ends a unit (RFC 4648): some senders encode each line by itself. */
function fromBase64(bytes: Uint8Array): Uint8Array {
  const units = Buffer.from(bytes).toString('latin1').split(/=+/)
  return Buffer.concat(units.map((unit) => Buffer.from(unit, 'base64')))
}

const [EQUALS, CR, LF] = [0x3d, 0x0d, 0x0a]

/** RFC 2045, 6.7. What is no escape stays as it is. */
function fromQuotedPrintable(bytes: Uint8Array): Uint8Array {
  const decoded = new Uint8Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte !== EQUALS) {
      decoded[length++] = byte
      continue
    }
    const lineEnd = bytes[at + 1] === CR ? at + 2 : at + 1
    const [high, low] = [hexDigit(bytes[at + 1]), hexDigit(bytes[at + 2])]
    if (at + 1 === bytes.length || bytes[lineEnd] === LF)
      at = lineEnd // the line goes on
    else if (high >= 0 && low >= 0) {
      decoded[length++] = high * 16 + low
      at += 2
    } else decoded[length++] = byte
  }
  return decoded.subarray(0, length)
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = (byte | 0x20) - 0x61
  return letter >= 0 && letter < 6 ? letter + 10 : -1
}

/** Names in use that are none of the WHATWG Encoding Standard, which `TextDecoder` knows. */
const ALIASES: Record<string, string> = {
  shiftjis: 'shift_jis',
  eucjp: 'euc-jp',
  iso2022jp: 'iso-2022-jp',
  'iso-2022-jp-1': 'iso-2022-jp',
  'iso-2022-jp-2': 'iso-2022-jp',
  cp50220: 'iso-2022-jp',
  cp50221: 'iso-2022-jp',
  cp51932: 'euc-jp',
  euckr: 'euc-kr',
  uhc: 'euc-kr',
  tis620: 'windows-874',
}

/** Reads bytes that are no UTF-8: by this charset where they are text in it, else by windows-1252. */
export function readerOf(charset: string): (bytes: Uint8Array) => string {
  const [declared, fallback] = [decoderFor(charset), new TextDecoder('windows-1252')]
  return (bytes) => {
    const text = declared.decode(bytes)
    return text.includes('\uFFFD') ? fallback.decode(bytes) : text
  }
}

/** Windows-1252 for a charset that nobody knows: most of what is mislabelled is ASCII or that. */
function decoderFor(charset: string): TextDecoder {
  const name = charset.trim().toLowerCase() || 'utf-8'
  const plain = name.replace(/^(x-ms-|x-)/, '')
  const page = /^(?:cp|windows|ms|ibm)[-_]?(\d{3,5})$/.exec(plain)?.[1]
  for (const label of [name, plain, plain.replaceAll('_', '-'), ALIASES[plain], page && charsetOf(Number(page))]) {
    try {
      if (label) return new TextDecoder(label)
    } catch {} // not known by this name
  }
  return new TextDecoder('windows-1252')
}

/** Lines that end with a space go on in the next (RFC 3676), but for the one above a signature. */
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
