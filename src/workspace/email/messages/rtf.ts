/**
 * Extracts the text of RTF as Outlook embeds it, compressed by MS-OXRTFCP. Formatting is lost; of HTML converted to RTF, the text
 * is returned.
 */
import { charsetOf } from './charsets.ts'

const [COMPRESSED, PLAIN] = [0x75465a4c, 0x414c454d]
/** Maximum size of the RTF, in bytes. */
const MAX = 4 << 20
const MAX_DEPTH = 1000

/** Initial content of the dictionary. */
const DICTIONARY =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx'

/** Returns an empty text if it can't be parsed. */
export function textOfRtf(compressed: Buffer): string {
  try {
    return textOf(decompress(compressed))
  } catch {
    return ''
  }
}

function decompress(bytes: Buffer): string {
  const [size, kind] = [bytes.readUInt32LE(4), bytes.readUInt32LE(8)]
  if (size > MAX) throw new RangeError('too large')
  if (kind === PLAIN) return bytes.toString('latin1', 16, 16 + size)
  if (kind !== COMPRESSED) throw new RangeError('not compressed RTF')
  const window = Buffer.alloc(4096)
  let next = window.write(DICTIONARY, 'latin1')
  const out: number[] = []
  const put = (byte: number) => {
    out.push(byte)
    window[next] = byte
    next = (next + 1) % 4096
  }
  for (let at = 16; at < bytes.length && out.length < size; ) {
    const control = bytes[at++]!
    for (let bit = 0; bit < 8 && at < bytes.length; bit++) {
      if (!(control & (1 << bit))) {
        put(bytes[at++]!)
        continue
      }
      const reference = bytes.readUInt16BE(at)
      at += 2
      const offset = reference >> 4
      if (offset === next) return Buffer.from(out).toString('latin1') // the end
      for (let n = 0; n < (reference & 15) + 2; n++) put(window[(offset + n) % 4096]!)
    }
  }
  return Buffer.from(out).toString('latin1')
}

/** A control word with its number, `\'hh`, another escape, a brace, line ends, or text. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi
/** Groups that contain no text of the message. */
const SILENT = new Set([
  'fonttbl',
  'colortbl',
  'stylesheet',
  'info',
  'pict',
  'object',
  'header',
  'footer',
  'listtable',
  'listoverridetable',
  'fldinst',
])
const WRITTEN: Record<string, string> = {
  par: '\n',
  line: '\n',
  row: '\n',
  tab: '\t',
  cell: '\t',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
}

function textOf(rtf: string): string {
  let decoder = new TextDecoder('windows-1252')
  const groups = [{ silent: false, skip: 1 }]
  let bytes: number[] = []
  let passing = 0 // fallback characters to skip after a \u
  let text = ''
  const flush = () => {
    text += decoder.decode(Uint8Array.from(bytes))
    bytes = []
  }
  const write = (some: string) => {
    flush()
    text += some
  }
  for (const [, word, number, byte, escaped, brace, plain] of rtf.matchAll(TOKEN)) {
    const group = groups.at(-1)!
    if (brace === '{') {
      if (groups.push({ ...group }) > MAX_DEPTH) throw new RangeError('too deep')
    } else if (brace === '}') {
      if (groups.length > 1) groups.pop()
    } else if (escaped === '*' || (word && SILENT.has(word))) group.silent = true
    else if (word === 'ansicpg') decoder = new TextDecoder(charsetOf(Number(number)) ?? 'windows-1252')
    else if (word === 'uc') group.skip = Number(number)
    else if (group.silent) continue
    else if (word === 'u') {
      write(String.fromCharCode(Number(number) & 0xffff))
      passing = group.skip
    } else if (byte && passing > 0) passing--
    else if (byte) bytes.push(Number.parseInt(byte, 16))
    else if (word && WRITTEN[word]) write(WRITTEN[word])
    else if (escaped) write({ '~': '\u00a0', '-': '', _: '-', '\n': '\n', '\r': '\n' }[escaped] ?? escaped)
    else if (plain) {
      for (let n = passing; n < plain.length; n++) bytes.push(plain.charCodeAt(n)) // may complete a two-byte character
      passing = Math.max(0, passing - plain.length)
    }
  }
  flush()
  return text.toWellFormed().replaceAll('\0', '').trim()
}
