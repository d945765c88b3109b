/**
 * Decodes bytes whose charset is declared wrongly, by an unusual name, or not at all. `readText` decodes all bodies, headers,
 * names and snippets of messages. Valid multi-byte UTF-8 is UTF-8; then the declared charset counts, then the one in the HTML,
 * then windows-1252. Takes time linear in the bytes.
 */
import { isUtf8 } from 'node:buffer'
import type iconv from 'iconv-lite'
import { onDemand } from '#kernel/on-demand.ts'

const otherCharsets = onDemand<typeof iconv>('iconv-lite')

interface Hints {
  /** Charset declared for the bytes, under any name. */
  declared?: string
  /** The bytes are HTML, which may declare its charset itself. */
  isHtml?: boolean
  /** The bytes were truncated: the last character may be incomplete. */
  isCut?: boolean
}

/** U+FFFD, which replaces bytes that are no character. */
const REPLACEMENT = '\uFFFD'
const ESCAPE = 0x1b

export function readText(bytes: Uint8Array, { declared = '', isHtml = false, isCut = false }: Hints = {}): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const marked = markedCharset(buffer)
  if (marked) return new TextDecoder(marked).decode(buffer)
  const decoder = decoderFor(declared)
  const candidates = [decoder, isHtml ? decoderFor(charsetInHtml(buffer)) : undefined].filter((one) => one !== undefined)
  const isAscii = !buffer.some((byte) => byte > 0x7f)
  if (!isAscii && !buffer.includes(0)) {
    const whole = isCut ? withoutTornEnd(buffer) : buffer
    if (isUtf8(whole) && !(decoder?.kind === 'double' && isShortDoubleByte(whole))) return whole.toString('utf8')
  }
  if (isAscii && buffer.includes(ESCAPE)) candidates.push(textDecoder('iso-2022-jp'))
  let tolerable: string | undefined
  for (const { decode, kind } of candidates) {
    if ((isAscii && kind !== 'shifted' && kind !== 'wide') || (kind === 'wide' && !buffer.includes(0))) continue
    const text = decode(buffer, isCut)
    if (!text.includes(REPLACEMENT)) return text
    if (isMostlyRight(text)) tolerable ??= kind === 'single' ? withBytes(text, buffer) : kind === 'double' ? text : undefined
  }
  return tolerable ?? mixedText(buffer)
}

/** Returns the charset of a byte order mark. */
function markedCharset(buffer: Buffer): string | undefined {
  if (buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf) return isUtf8(buffer) ? 'utf-8' : undefined
  if (buffer[0] === 0xff && buffer[1] === 0xfe) return 'utf-16le'
  return buffer[0] === 0xfe && buffer[1] === 0xff ? 'utf-16be' : undefined
}

/** Bytes in which the charset of HTML is searched for. */
const HTML_HEAD = 4096
const IN_HTML = /<meta\b[^>]{1,500}?charset\s*=\s*["']?\s*([\w.:-]{1,40})|<\?xml\b[^>]{1,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i

/** Returns the charset that the HTML declares. A 16-bit one is ignored: in such text the declaration would not be found. */
function charsetInHtml(buffer: Buffer): string {
  const [, meta, xml] = IN_HTML.exec(buffer.toString('latin1', 0, HTML_HEAD)) ?? []
  const name = meta ?? xml ?? ''
  return /utf-?16|ucs|utf-?32/i.test(name) ? '' : name
}

/** Drops bytes at the end that begin a UTF-8 character without completing it. */
function withoutTornEnd(buffer: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, buffer.length); back++) {
    const byte = buffer[buffer.length - back]!
    if (byte < 0x80) return buffer
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? buffer.subarray(0, -back) : buffer
  }
  return buffer
}

/** A few two-byte characters and no letters: a Chinese or Korean name may be valid UTF-8 by chance. */
const isShortDoubleByte = (buffer: Buffer) =>
  buffer.length <= 24 && /^[\x00-@[-`{-\x7f]*(?:[\xc2-\xdf][\xa1-\xbf][\x00-@[-`{-\x7f]*){1,4}$/.test(buffer.toString('latin1'))

/** Characters per broken byte from which the text is accepted: another charset would garble all of them. */
const PER_BROKEN = 20

function isMostlyRight(text: string): boolean {
  const broken = text.split(REPLACEMENT).length - 1
  return text.replace(/[\x00-\x7f]/g, '').length >= broken * (PER_BROKEN + 1)
}

/** Replaces bytes that a single-byte charset doesn't define by their windows-1252 characters. */
function withBytes(text: string, buffer: Buffer): string {
  if (text.length !== buffer.length) return text
  return text.replaceAll(REPLACEMENT, (_, at: number) => windows1252(buffer.subarray(at, at + 1)))
}

const MULTI_BYTE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g

/** Decodes as windows-1252; as UTF-8 with its broken bytes in windows-1252, if more of it is valid than broken. */
function mixedText(buffer: Buffer): string {
  const latin = buffer.toString('latin1')
  const [sequences, high] = [latin.match(MULTI_BYTE) ?? [], latin.match(/[\x80-\xff]/g)?.length ?? 0]
  const broken = high - sequences.reduce((sum, { length }) => sum + length, 0)
  if (sequences.length <= broken) return windows1252(buffer)
  let at = 0
  const pieces: string[] = []
  for (const { index, 0: found } of latin.matchAll(MULTI_BYTE)) {
    pieces.push(windows1252(buffer.subarray(at, index)))
    at = index + found.length
    const bytes = buffer.subarray(index, at)
    pieces.push(isUtf8(bytes) ? bytes.toString('utf8') : windows1252(bytes))
  }
  pieces.push(windows1252(buffer.subarray(at)))
  return pieces.join('')
}

const WINDOWS_1252 = new TextDecoder('windows-1252')
const windows1252 = (bytes: Uint8Array) => WINDOWS_1252.decode(bytes)

// Charsets by their names.

interface Decoder {
  decode(bytes: Buffer, isCut: boolean): string
  /**
   * How its characters are encoded: in one byte, in one or two, in at least two so that ASCII has zero bytes, in ASCII alone by
   * shifts, or as UTF-8. Bytes below 0x80 are ASCII in the first two and the last.
   */
  kind: 'single' | 'double' | 'wide' | 'shifted' | 'utf-8'
}

const KINDS: readonly (readonly [RegExp, Decoder['kind']])[] = [
  [/^utf-(16|32)/, 'wide'],
  [/^(gbk|gb18030|big5|euc-|shift_jis)/, 'double'],
  [/^(utf-7|iso-2022|hz-)/, 'shifted'],
  [/^utf-8$/, 'utf-8'],
]

const decoderOf = (name: string, decode: Decoder['decode']): Decoder => ({
  decode,
  kind: KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'single',
})

const textDecoder = (label: string): Decoder =>
  decoderOf(new TextDecoder(label).encoding, (bytes, isCut) => new TextDecoder(label).decode(bytes, { stream: isCut }))

/** Names that don't define bytes above ASCII. Servers add them if a message declares no charset. */
const NOTHING =
  /^(?:us-?)?ascii$|^ansi_?x3\.4|^iso[-_]?646|^(?:unknown|x-unknown|unspecified|default|none|binary)|^[78]-?bits?$|^unknown-8bit$|^x-user-defined$/

/** Returns undefined for an unknown charset, and for one that doesn't define bytes above ASCII. */
function decoderFor(charset: string): Decoder | undefined {
  const name = charset
    .slice(0, 100)
    .trim()
    .toLowerCase()
    .replace(/^["']+|["';,]+$/g, '')
  if (!name || NOTHING.test(name)) return undefined
  const key = name.replace(/^(?:x-|cs)/, '').replace(/[^a-z0-9]/g, '')
  const special = SPECIAL[key]
  if (special) return decoderOf(special.name, (bytes) => special.decode(bytes))
  for (const label of [name, ALIASES[key], byNumber(key)]) {
    try {
      if (label) return textDecoder(label)
    } catch {} // not known by this name
  }
  const other = OTHERS.exec(key)?.[0]
  const found =
    other &&
    [other, other.replace(/^(?:ibm|dos|ccsid)0*/, 'cp').replace(/^roman8$/, 'hproman8')].find((one) =>
      otherCharsets().encodingExists(one),
    )
  return found ? decoderOf(found, (bytes) => otherCharsets().decode(bytes, found)) : undefined
}

/** Single-byte charsets that iconv-lite knows and `TextDecoder` doesn't. */
const OTHERS =
  /^(?:(?:cp|ibm|dos|ccsid)0*\d{3,4}|mac[a-z]{4,12}|tcvn|viscii(?:11)?1?|armscii8|georgian(?:academy|ps)|pt154|ptcp154|rk1048|koi8t|(?:hp)?roman8)$/

/**
 * Names in use that aren't in the WHATWG Encoding Standard, which `TextDecoder` implements: without punctuation, and without a
 * leading `x-` or `cs`.
 */
const ALIASES: Record<string, string> = {
  utf8mb4: 'utf-8',
  utf8mac: 'utf-8',
  utf: 'utf-8',
  utf16bom: 'utf-16le',
  ansi: 'windows-1252',
  western: 'windows-1252',
  latin1windows: 'windows-1252',
  macroman: 'macintosh',
  macosroman: 'macintosh',
  koi8: 'koi8-r',
  koi: 'koi8-r',
  gb231280: 'gbk',
  cngb: 'gbk',
  euccn: 'gbk',
  eucgb: 'gbk',
  gb2312eucch: 'gbk',
  big5eten: 'big5',
  cnbig5: 'big5',
  big5hkscs2004: 'big5',
  shiftjis: 'shift_jis',
  sjiswin: 'shift_jis',
  cp943: 'shift_jis',
  cp943c: 'shift_jis',
  eucjp: 'euc-jp',
  eucjpms: 'euc-jp',
  ujis: 'euc-jp',
  cp51932: 'euc-jp',
  jis: 'iso-2022-jp',
  iso2022jp: 'iso-2022-jp',
  iso2022jp1: 'iso-2022-jp',
  iso2022jp2: 'iso-2022-jp',
  iso2022jp3: 'iso-2022-jp',
  iso2022jp2004: 'iso-2022-jp',
  iso2022jpms: 'iso-2022-jp',
  cp50220: 'iso-2022-jp',
  cp50221: 'iso-2022-jp',
  cp50222: 'iso-2022-jp',
  euckr: 'euc-kr',
  uhc: 'euc-kr',
  ksc5601: 'euc-kr',
  ksc56011992: 'euc-kr',
  tis620: 'windows-874',
  thai: 'windows-874',
}

const LATIN = [1, 2, 3, 4, 9, 10, 13, 14, 15, 16]

/** Resolves the number in names such as `win1252`, `iso8859_1`, `latin2`, `cp1251`. */
function byNumber(key: string): string | undefined {
  const part = /^(?:iso)?8859(?:p|part)?(\d{1,2})(?:\D.*|19\d\d.*)?$/.exec(key)?.[1]
  if (part) return `iso-8859-${Number(part)}`
  const latin = /^(?:latin|l)(\d{1,2})$/.exec(key)?.[1]
  const number = latin && LATIN[Number(latin) - 1]
  if (number) return `iso-8859-${number}`
  const page = /^(?:cp|win|windows|ms|mswin|mswindows|mscp|ibm|codepage|ansi)?0*(\d{3,5})$/.exec(key)?.[1]
  return page ? charsetOf(Number(page)) : undefined
}

/** Charsets that shift between ASCII and others by sequences of ASCII characters, and 32-bit ones. */
const SPECIAL: Record<string, { name: string; decode(bytes: Buffer): string }> = {
  utf7: { name: 'utf-7', decode: decodeUtf7 },
  unicode11utf7: { name: 'utf-7', decode: decodeUtf7 },
  unicode20utf7: { name: 'utf-7', decode: decodeUtf7 },
  iso2022kr: { name: 'iso-2022-kr', decode: decodeKorean },
  hz: { name: 'hz-gb-2312', decode: decodeHz },
  hzgb2312: { name: 'hz-gb-2312', decode: decodeHz },
  ...Object.fromEntries(
    ['utf16', 'utf16le', 'utf16be', 'ucs2', 'iso10646ucs2'].map((key) => [key, { name: 'utf-16', decode: decodeUtf16 }]),
  ),
  ...Object.fromEntries(['utf32', 'utf32le', 'utf32be', 'ucs4'].map((key) => [key, { name: 'utf-32', decode: decodeUtf32 }])),
}

/** RFC 2152: `+` and `-` around 16-bit units in base64. */
function decodeUtf7(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/\+([A-Za-z0-9+/]*)-?/g, (_, code: string) => {
    if (!code) return '+'
    const units = Buffer.from(code, 'base64')
    return new TextDecoder('utf-16be').decode(units.subarray(0, units.length & ~1))
  })
}

/** RFC 1557: KS X 1001 in seven bits between SO and SI, which is EUC-KR without its high bits. */
function decodeKorean(bytes: Buffer): string {
  const plain = bytes.toString('latin1').replaceAll('\x1b$)C', '')
  return new TextDecoder('euc-kr').decode(raised(plain, /\x0e([^\x0f\r\n]*)\x0f?/g))
}

/** RFC 1843: GB 2312 in seven bits between `~{` and `~}`. */
function decodeHz(bytes: Buffer): string {
  const plain = bytes.toString('latin1').replace(/~\r?\n/g, '')
  return new TextDecoder('gbk').decode(raised(plain, /~\{([^~\r\n]*)(?:~\})?/g)).replaceAll('~~', '~')
}

/** Sets the high bits of the text between two shifts. */
const raised = (text: string, shifted: RegExp) =>
  Buffer.from(
    text.replace(shifted, (_, inside: string) =>
      inside.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) | 0x80)),
    ),
    'latin1',
  )

/** Determines the byte order by the positions of zero bytes, because senders confuse the names of the two orders. */
function decodeUtf16(bytes: Buffer): string {
  let [even, odd] = [0, 0]
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0) at % 2 ? odd++ : even++
  return new TextDecoder(even > odd ? 'utf-16be' : 'utf-16le').decode(bytes)
}

function decodeUtf32(bytes: Buffer): string {
  const isBig = bytes[0] === 0
  const points: string[] = []
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const point = isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
    points.push(point <= 0x10ffff ? String.fromCodePoint(point) : REPLACEMENT)
  }
  return points.join('').replace(/^\ufeff/, '')
}

/** Returns the common name of a Windows code page; undefined if `TextDecoder` has none. */
export function charsetOf(codepage: number): string | undefined {
  const others: Record<number, string> = {
    866: 'ibm866',
    932: 'shift_jis',
    936: 'gbk',
    949: 'euc-kr',
    950: 'big5',
    10000: 'macintosh',
    10007: 'x-mac-cyrillic',
    20127: 'windows-1252',
    20866: 'koi8-r',
    20932: 'euc-jp',
    21866: 'koi8-u',
    28591: 'windows-1252',
    51949: 'euc-kr',
    54936: 'gb18030',
    65001: 'utf-8',
  }
  const known =
    others[codepage] ?? (codepage === 874 || (codepage >= 1250 && codepage <= 1258) ? `windows-${codepage}` : undefined)
  return known ?? (codepage > 28591 && codepage < 28606 ? `iso-8859-${codepage - 28590}` : undefined)
}
