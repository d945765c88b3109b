/**
 * The first sheet of an XLSX file (Office Open XML, ECMA-376), row by row. The package is in memory, compressed; its sheet is unpacked
 * while it is read, and what it claims to unpack to is bounded (yauzl ends a part that is larger than it claims). It is read in a child.
 */
import { posix } from 'node:path'
import { Parser } from 'htmlparser2'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { HttpError } from '#kernel/errors.ts'
import { type Batch, batchesOf, type FileRow, MAX_CHARACTERS_OF_ROW, MAX_COLUMNS, tableOf, unreadable } from './table.ts'

const MAX_PARTS = 1000
/** Elements within each other. */
const MAX_DEPTH = 100
/** Bytes of a part once it is unpacked. */
const MAX_SHEET = 200 * 1024 * 1024
const MAX_STRINGS = 60 * 1024 * 1024
const MAX_OTHER = 1024 * 1024

type Parts = Map<string, Entry>
type Attributes = Record<string, string>
interface Handlers {
  open?(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

/** The rows of the first sheet, the header first. 422 on `file` where it can't be read. */
async function* xlsxRows(content: Buffer): AsyncGenerator<FileRow> {
  try {
    const zip = await fromBufferPromise(content, { lazyEntries: true })
    const parts: Parts = new Map()
    for await (const entry of zip.eachEntry()) {
      if (parts.size === MAX_PARTS) throw unreadable('Has too many parts for an XLSX file.')
      parts.set(entry.fileName, entry)
    }
    const sheet = await firstSheet(zip, parts)
    yield* sheetRows(zip, sheet, await sharedStrings(zip, parts))
  } catch (error) {
    if (error instanceof Error && 'status' in error) throw error
    throw unreadable(`Is no XLSX file that can be read: ${(error as Error).message}`)
  }
}

/** Feeds the XML of a part to the handlers, and gives a turn to the caller after each piece. */
async function* parsed(zip: ZipFile, entry: Entry, most: number, { open, text, close }: Handlers): AsyncGenerator<void> {
  if (entry.isEncrypted()) throw unreadable('Must not be protected by a password.')
  if (entry.uncompressedSize > most) throw unreadable('Unpacks to more than is read. Send it as CSV, or in parts.')
  const local = (name: string) => name.slice(name.indexOf(':') + 1)
  let depth = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_DEPTH) throw unreadable('Is no XLSX file that can be read: its parts are nested too deep.')
        open?.(local(name), attributes)
      },
      ontext: (data) => text?.(data),
      onclosetag(name) {
        depth--
        close?.(local(name))
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  const stream = await zip.openReadStreamPromise(entry)
  for await (const chunk of stream.setEncoding('utf8')) {
    parser.write(chunk as string)
    yield
  }
  parser.end()
  yield
}

async function all(zip: ZipFile, entry: Entry | undefined, most: number, handlers: Handlers) {
  if (!entry) return
  for await (const _ of parsed(zip, entry, most, handlers));
}

async function firstSheet(zip: ZipFile, parts: Parts): Promise<Entry> {
  let relation: string | undefined
  let target: string | undefined
  await all(zip, parts.get('xl/workbook.xml'), MAX_OTHER, {
    open: (name, attributes) => void (name === 'sheet' && (relation ??= attributes['r:id'])),
  })
  await all(zip, parts.get('xl/_rels/workbook.xml.rels'), MAX_OTHER, {
    open: (name, { Id, Target }) => void (name === 'Relationship' && Id === relation && (target = Target)),
  })
  const sheet = target && parts.get(posix.join(target.startsWith('/') ? '' : 'xl', target).replace(/^\//, ''))
  if (!sheet) throw unreadable('Has no sheet that can be read: is it an XLSX file?')
  return sheet
}

/** The texts that cells refer to by number. */
async function sharedStrings(zip: ZipFile, parts: Parts): Promise<string[]> {
  const strings: string[] = []
  const text = textOf('si', (value) => strings.push(value))
  await all(zip, parts.get('xl/sharedStrings.xml'), MAX_STRINGS, text)
  return strings
}

/** Gathers what stands in the `t` elements of an element, phonetic readings (`rPh`) left out. */
function textOf(element: string, done: (text: string) => void): Handlers {
  let value = ''
  let isText = false
  let isReading = false
  return {
    open(name) {
      if (name === element) value = ''
      else if (name === 'rPh') isReading = true
      else if (name === 't') isText = !isReading
    },
    text: (data) => void (isText && (value += data)),
    close(name) {
      if (name === 't') isText = false
      else if (name === 'rPh') isReading = false
      else if (name === element) done(value)
    },
  }
}

async function* sheetRows(zip: ZipFile, sheet: Entry, strings: string[]): AsyncGenerator<FileRow> {
  const rows: FileRow[] = []
  let row: FileRow = { n: 0, cells: [] }
  let characters = 0
  let column = -1
  let type = ''
  let value = ''
  let isValue = false

  function put() {
    if (value === '') return
    if (column > MAX_COLUMNS) throw unreadable(`Must be at most ${MAX_COLUMNS} columns wide: row ${row.n} is wider.`)
    const text =
      type === 's' ? strings[Number(value)] : type === 'b' ? String(value === '1') : type === 'n' ? plain(value) : value
    if ((characters += text?.length ?? 0) > MAX_CHARACTERS_OF_ROW) throw unreadable(`Row ${row.n} is too long.`)
    while (row.cells.length < column) row.cells.push('')
    row.cells[column] = text?.toWellFormed().replaceAll('\0', '') ?? ''
  }

  const handlers: Handlers = {
    open(name, attributes) {
      if (name === 'row') {
        row = { n: Number(attributes.r) || row.n + 1, cells: [] }
        characters = 0
        column = -1
      } else if (name === 'c') {
        column = attributes.r ? columnOf(attributes.r) : column + 1
        type = attributes.t ?? 'n'
        value = ''
      } else isValue = name === 'v' || name === 't'
    },
    text: (data) => void (isValue && (value += data)),
    close(name) {
      if (name === 'c') put()
      else if (name === 'row' && row.cells.some((cell) => cell !== '')) rows.push(row)
      isValue = false
    },
  }
  for await (const _ of parsed(zip, sheet, MAX_SHEET, handlers)) yield* rows.splice(0)
}

/** `AB12` stands in column 27, the first one being 0. */
function columnOf(reference: string) {
  let column = 0
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/** Long numbers, such as of telephones, may be written with an exponent. */
const plain = (number: string) => (/e/i.test(number) && Number.isSafeInteger(Number(number)) ? String(Number(number)) : number)

interface Workbook {
  headers: string[]
  batches: Batch[]
}

/** Its first sheet, or what is wrong with it. */
export async function readWorkbook(content: Uint8Array): Promise<Workbook | { wrong: string }> {
  try {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    const { headers, rows } = await tableOf(xlsxRows(bytes))
    return { headers, batches: await Array.fromAsync(batchesOf(rows)) }
  } catch (error) {
    if (error instanceof HttpError && error.errors?.file) return { wrong: error.errors.file[0]! }
    throw error
  }
}
