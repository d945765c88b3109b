/**
 * Reads TNEF (MS-OXTNEF), the `winmail.dat` in which Outlook wraps a message: the files inside, and its text in every format it
 * has. Returns undefined if the data isn't TNEF, is cut off or inconsistent; never throws. Contents are views of the given bytes,
 * not copies.
 */
import { charsetOf, readText } from './charsets.ts'

export interface TnefFile {
  name: string
  mime: string
  contentId: string
  content: Buffer
}
export interface Tnef {
  files: TnefFile[]
  text?: string
  html?: string
  /** Compressed, see rtf.ts. */
  rtf?: Buffer
}

const SIGNATURE = 0x223e9f78
const MAX_ATTRIBUTES = 10_000
const MAX_PROPERTIES = 10_000
const MAX_FILES = 200
/** Maximum bytes of a text or a name; a longer one is cut. */
const MAX_TEXT = 4 << 20

const ATTRIBUTE = {
  title: 0x8010,
  data: 0x800f,
  body: 0x800c,
  begins: 0x9002,
  attachment: 0x9005,
  message: 0x9003,
  codepage: 0x9007,
}
const PROPERTY = {
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  name: 0x3704,
  longName: 0x3707,
  mime: 0x370e,
  contentId: 0x3712,
  data: 0x3701,
  cpid: 0x3fde,
}

/** Sizes of fixed-size values, by type. */
const FIXED: Record<number, number> = { 2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 20: 8, 64: 8, 72: 16 }
const VARIABLE = { object: 0x0d, text8: 0x1e, text16: 0x1f, binary: 0x102 }
const MULTIPLE = 0x1000

export function readTnef(bytes: Buffer): Tnef | undefined {
  try {
    return bytes.readUInt32LE(0) === SIGNATURE ? readMessage(bytes) : undefined
  } catch {
    return undefined // reads beyond the end, or exceeds a limit
  }
}

type Properties = Map<number, { type: number; value: Buffer }>
interface Wrapped {
  title?: Buffer
  data?: Buffer
  properties?: Properties
}

function readMessage(bytes: Buffer): Tnef {
  const wrapped: Wrapped[] = []
  let charset = 'windows-1252'
  let text: Buffer | undefined
  let message: Properties = new Map()
  for (const { id, value } of attributesOf(bytes)) {
    if (id === ATTRIBUTE.begins) wrapped.push({})
    const file = wrapped.at(-1)
    if (id === ATTRIBUTE.codepage) charset = charsetOf(value.readUInt32LE(0)) ?? charset
    else if (id === ATTRIBUTE.body) text = value
    else if (id === ATTRIBUTE.message) message = propertiesOf(value)
    else if (file && id === ATTRIBUTE.title) file.title = value
    else if (file && id === ATTRIBUTE.data) file.data = value
    else if (file && id === ATTRIBUTE.attachment) file.properties = propertiesOf(value)
  }
  if (wrapped.length > MAX_FILES) throw new RangeError('too many files')
  const html = message.get(PROPERTY.html)
  const cpid = message.get(PROPERTY.cpid)?.value.readUInt32LE(0)
  return {
    files: wrapped.flatMap((one) => fileOf(one, charset)),
    text: textOf(message.get(PROPERTY.body), charset) || (text && decode(text, charset)) || undefined,
    html: textOf(html, (cpid === undefined ? undefined : charsetOf(cpid)) ?? charset) || undefined,
    rtf: message.get(PROPERTY.rtf)?.value,
  }
}

function* attributesOf(bytes: Buffer) {
  let count = 0
  for (let at = 6; at < bytes.length; ) {
    if (++count > MAX_ATTRIBUTES) throw new RangeError('too many attributes')
    const id = bytes.readUInt16LE(at + 1)
    const size = bytes.readUInt32LE(at + 5)
    yield { id, value: within(bytes, at + 9, size) }
    at += 9 + size + 2 // followed by a checksum, which some writers get wrong
  }
}

/** Returns the last value of each property; skips named ones, whose meaning is private to the writer. */
function propertiesOf(bytes: Buffer): Properties {
  const properties: Properties = new Map()
  const count = bytes.readUInt32LE(0)
  if (count > MAX_PROPERTIES) throw new RangeError('too many properties')
  let at = 4
  for (let n = 0; n < count; n++) {
    const type = bytes.readUInt16LE(at)
    const id = bytes.readUInt16LE(at + 2)
    at += 4
    if (id >= 0x8000) {
      const named = bytes.readUInt32LE(at + 16) === 1
      at += named ? 24 + padded(bytes.readUInt32LE(at + 20)) : 24
    }
    const plain = type & ~MULTIPLE
    const fixed = FIXED[plain]
    if (fixed === undefined && !Object.values(VARIABLE).includes(plain)) throw new RangeError('unknown type')
    const values = fixed === undefined || type & MULTIPLE ? bytes.readUInt32LE(at) : 1
    if (values > MAX_PROPERTIES) throw new RangeError('too many values')
    if (fixed === undefined || type & MULTIPLE) at += 4
    for (let m = 0; m < values; m++) {
      const size = fixed ?? bytes.readUInt32LE(at)
      if (fixed === undefined) at += 4
      properties.set(id, { type: plain, value: within(bytes, at, size) })
      at += padded(size)
    }
  }
  return properties
}

/**
 * An object, such as a message within the message, has its class before its content. Attachments without content, such as links,
 * are skipped.
 */
function fileOf({ title, data, properties }: Wrapped, charset: string): TnefFile[] {
  const named = (id: number) => textOf(properties?.get(id), charset)
  const object = properties?.get(PROPERTY.data)
  const content = data ?? (object?.type === VARIABLE.object ? object.value.subarray(16) : object?.value)
  if (!content) return []
  const name = named(PROPERTY.longName) || (title && decode(title, charset)) || named(PROPERTY.name)
  return [{ name, mime: named(PROPERTY.mime), contentId: named(PROPERTY.contentId), content }]
}

function textOf(property: { type: number; value: Buffer } | undefined, charset: string): string {
  if (!property) return ''
  return decode(property.value, property.type === VARIABLE.text16 ? 'utf-16le' : charset)
}

function decode(bytes: Buffer, charset: string): string {
  const most = bytes.subarray(0, MAX_TEXT)
  const text =
    charset === 'utf-16le'
      ? new TextDecoder(charset).decode(most)
      : readText(untilZero(most), { declared: charset, isHtml: true })
  return text.replaceAll('\0', '').toWellFormed()
}

/** Texts end with a zero byte. */
function untilZero(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

function within(bytes: Buffer, at: number, size: number): Buffer {
  if (at + size > bytes.length) throw new RangeError('cut off')
  return bytes.subarray(at, at + size)
}

const padded = (size: number) => Math.ceil(size / 4) * 4
