/** Decodes the transfer encodings of parts and header words (RFC 2045). Takes time linear in the bytes. */

/** Padding ends a unit (RFC 4648): some senders encode each line on its own. */
export function fromBase64(bytes: Uint8Array): Uint8Array {
  const units = Buffer.from(bytes).toString('latin1').split(/=+/)
  return Buffer.concat(units.map((unit) => Buffer.from(unit, 'base64')))
}

const [EQUALS, CR, LF] = [0x3d, 0x0d, 0x0a]

/** RFC 2045, 6.7. Invalid escapes stay unchanged. */
export function fromQuotedPrintable(bytes: Uint8Array): Uint8Array {
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
      at = lineEnd // soft line break
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
