/**
 * The first sheet of an XLSX file (Office Open XML, ECMA-376), row by row. The package is in memory, compressed; its sheet is unpacked
 * while it is read, and what it claims to unpack to is bounded (yauzl ends a part that is larger than it claims). It is read in a child.
 */
import { posix } from 'node:path'
import { Parser } from 'htmlparser2'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { HttpError } from '../errors.ts'
import {
  type Batch,
  batchesOf,
  type FileRow,
  MAX_CHARACTERS_OF_ROW,
  MAX_COLUMNS,
  type Portions,
  tableOf,
  unreadable,
} from './table.ts'

const MAX_PARTS = 1000
/** Elements within each other. */
const MAX_DEPTH = 100
/** Bytes of a part once it is unpacked. */
const MAX_SHEET = 200 * 1024 * 1024
const MAX_STRINGS = 60 * 1024 * 1024
const MAX_STYLES = 60 * 1024 * 1024
const MAX_OTHER = 1024 * 1024
/** Formats of cells, and of numbers: Excel has at most that many. */
const MAX_FORMATS = 65_536

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
    const { sheet, since } = await firstSheet(zip, parts)
    const shown = await shownBy(zip, parts)
    yield* sheetRows(zip, sheet, { strings: await sharedStrings(zip, parts), shown, since })
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

/** The sheet, and the day that its dates are counted from. */
async function firstSheet(zip: ZipFile, parts: Parts): Promise<{ sheet: Entry; since: Since }> {
  let relation: string | undefined
  let target: string | undefined
  let since: Since = 1900
  await all(zip, parts.get('xl/workbook.xml'), MAX_OTHER, {
    open(name, attributes) {
      if (name === 'sheet') relation ??= attributes['r:id']
      if (name === 'workbookPr' && ['1', 'true'].includes(attributes.date1904!)) since = 1904
    },
  })
  await all(zip, parts.get('xl/_rels/workbook.xml.rels'), MAX_OTHER, {
    open: (name, { Id, Target }) => void (name === 'Relationship' && Id === relation && (target = Target)),
  })
  const sheet = target && parts.get(posix.join(target.startsWith('/') ? '' : 'xl', target).replace(/^\//, ''))
  if (!sheet) throw unreadable('Has no sheet that can be read: is it an XLSX file?')
  return { sheet, since }
}

/** What a number is shown as: a day or an instant, or a time of the day. */
type Shown = 'date' | 'time' | undefined

/** What formats of cells show. */
async function shownBy(zip: ZipFile, parts: Parts): Promise<Map<number, Shown>> {
  const custom = new Map<string, Shown>()
  const shown = new Map<number, Shown>()
  let isCell = false
  let n = 0
  await all(zip, parts.get('xl/styles.xml'), MAX_STYLES, {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt' && custom.size < MAX_FORMATS) custom.set(numFmtId, shownIn(formatCode))
      else if (name === 'cellXfs') isCell = true
      else if (name === 'xf' && isCell && n < MAX_FORMATS) {
        shown.set(n, custom.has(numFmtId) ? custom.get(numFmtId) : builtIn(Number(numFmtId)))
        n++
      }
    },
    close: (name) => void (name === 'cellXfs' && (isCell = false)),
  })
  return shown
}

/** Dates and times among the number formats that have no code (ECMA-376, 18.8.30): those of everybody, and of East Asia. */
const BUILT_IN_DATES = new Set([14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58])
const BUILT_IN_TIMES = new Set([18, 19, 20, 21, 32, 33, 34, 35])

const builtIn = (id: number): Shown => (BUILT_IN_DATES.has(id) ? 'date' : BUILT_IN_TIMES.has(id) ? 'time' : undefined)

/** By what stands outside of texts, escapes and brackets: a year or a day, or else an hour. Durations, whose hours stand in brackets, are numbers. */
function shownIn(code: string): Shown {
  const plain = code.slice(0, 255).replace(/"[^"]*"?|\\.|_.|\[[^\]]*\]?/g, '')
  return /[yd]/i.test(plain) ? 'date' : /h/i.test(plain) ? 'time' : undefined
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

interface Workings {
  strings: string[]
  shown: Map<number, Shown>
  since: Since
}

async function* sheetRows(zip: ZipFile, sheet: Entry, { strings, shown, since }: Workings): AsyncGenerator<FileRow> {
  const rows: FileRow[] = []
  let row: FileRow = { n: 0, cells: [] }
  let characters = 0
  let column = -1
  let type = ''
  let style = ''
  let value = ''
  let isValue = false

  function numeral() {
    const as = shown.get(Number(style))
    return (as === 'date' ? dateOf(value, since) : as === 'time' ? timeOf(value) : undefined) ?? plain(value)
  }

  function put() {
    if (value === '') return
    if (column > MAX_COLUMNS) throw unreadable(`Must be at most ${MAX_COLUMNS} columns wide: row ${row.n} is wider.`)
    const text = type === 's' ? strings[Number(value)] : type === 'b' ? String(value === '1') : type === 'n' ? numeral() : value
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
        style = attributes.s ?? '0'
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

/** Dates are numbers of days: from the last day of 1899 on, or from the first of 1904. */
type Since = 1900 | 1904
const DAYS_BEFORE_1970 = { 1900: 25_569, 1904: 24_107 }

/** The day, or the local time, that a number stands for. Undefined before March 1900, which Excel counts wrongly, and behind the year 9999. */
function dateOf(number: string, since: Since): string | undefined {
  const days = Number(number)
  if (!(days >= (since === 1900 ? 61 : 0) && days - DAYS_BEFORE_1970[since] < 2_932_897)) return undefined
  const written = new Date(Math.round((days - DAYS_BEFORE_1970[since]) * 86_400_000)).toISOString()
  const [day, time] = written.slice(0, -1).split('T') as [string, string]
  if (time === '00:00:00.000') return day
  return `${day}T${time.replace('.000', '')}`
}

/** The time of the day that a part of one stands for, to the second. Undefined for more than a day. */
function timeOf(number: string): string | undefined {
  const days = Number(number)
  if (!(days >= 0 && days < 1)) return undefined
  const seconds = Math.min(Math.round(days * 86_400), 86_399) // no day ends as the next one
  return new Temporal.PlainTime().add({ seconds }).toString({ smallestUnit: 'second' }).replace(/:00$/, '')
}

interface Workbook {
  headers: string[]
  batches: Batch[]
}

/** Its first sheet, or what is wrong with it. */
export async function readWorkbook({
  content,
  portions,
}: {
  content: Uint8Array
  portions: Portions
}): Promise<Workbook | { wrong: string }> {
  try {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    const { headers, rows } = await tableOf(xlsxRows(bytes), portions)
    return { headers, batches: await Array.fromAsync(batchesOf(rows, portions)) }
  } catch (error) {
    if (error instanceof HttpError && error.errors?.file) return { wrong: error.errors.file[0]! }
    throw error
  }
}
