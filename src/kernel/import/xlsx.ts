/**
 * Reads a sheet of an XLSX file (Office Open XML, ECMA-376) row by row, with its cells as Excel shows them. The compressed
 * package is in memory; its sheet is decompressed while it is read. The declared size of a part is limited, and yauzl fails if a
 * part exceeds it. Runs in a child process.
 */
import { posix } from 'node:path'
import Big from 'big.js'
import { Parser } from 'htmlparser2'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { type FieldErrors, HttpError, invalid } from '../errors.ts'
import { UNCALCULATED } from './cell-errors.ts'
import type { Notation } from './notation.ts'
import {
  type Batch,
  batchesOf,
  type FileRow,
  MAX_CHARACTERS_OF_ROW,
  MAX_COLUMNS,
  type Portions,
  type TableChoice,
  tableOf,
  unreadable,
} from './table.ts'

const MAX_PARTS = 1000
/** Maximum nesting of elements. */
const MAX_DEPTH = 100
/** Maximum sizes of decompressed parts in bytes. */
const MAX_SHEET = 200 * 1024 * 1024
const MAX_STRINGS = 60 * 1024 * 1024
const MAX_STYLES = 60 * 1024 * 1024
const MAX_OTHER = 1024 * 1024
/** Maximum number of cell formats and of number formats: Excel's own limit. */
const MAX_FORMATS = 65_536

type Parts = Map<string, Entry>
type Attributes = Record<string, string>
interface Handlers {
  open?(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

/** An open workbook: its sheets, and the data that their cells refer to. */
interface Book {
  zip: ZipFile
  sheets: Sheet[]
  /** Read once, with the first sheet. */
  workings: Workings
}

interface Sheet {
  name: string
  isHidden: boolean
  entry: Entry
}

/** Maps errors of unreadable files to a 422 on `file`. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && 'status' in error) throw error
    throw unreadable(`Is no XLSX file that can be read: ${(error as Error).message}`)
  }
}

async function openBook(content: Buffer): Promise<Book> {
  const zip = await fromBufferPromise(content, { lazyEntries: true })
  const parts: Parts = new Map()
  for await (const entry of zip.eachEntry()) {
    if (parts.size === MAX_PARTS) throw unreadable('Has too many parts for an XLSX file.')
    parts.set(entry.fileName, entry)
  }
  const { sheets, since } = await sheetsOf(zip, parts)
  const formats = await cellFormats(zip, parts)
  return { zip, sheets, workings: { strings: await sharedStrings(zip, parts), formats, since } }
}

/** Maximum number of sheets examined for a table, and of rows of each. */
const MAX_EXAMINED = 20

/**
 * Returns the chosen sheet; else the first one with a table of several columns, else of one column; visible sheets before hidden
 * ones. Throws 422 on `sheet` for an unknown name.
 */
async function chosenSheet({ zip, sheets, workings }: Book, name: string | undefined): Promise<Sheet> {
  if (name !== undefined) {
    const found = sheets.find((one) => one.name === name)
    if (!found) throw invalid({ sheet: 'Must be the name of one of the file’s sheets.' })
    return found
  }
  const ordered = [...sheets.filter(({ isHidden }) => !isHidden), ...sheets.filter(({ isHidden }) => isHidden)]
  if (ordered.length === 1) return ordered[0]!
  const found: { sheet: Sheet; rows: number }[] = []
  for (const sheet of ordered.slice(0, MAX_EXAMINED)) {
    let rows = 0
    let isTable = false
    for await (const { cells } of sheetRows(zip, sheet.entry, workings)) {
      isTable ||= cells.filter(Boolean).length > 1
      if (++rows === MAX_EXAMINED || (isTable && rows > 1)) break
    }
    if (isTable && rows > 1) return sheet
    found.push({ sheet, rows })
  }
  const best = found.find(({ rows }) => rows > 1) ?? found.find(({ rows }) => rows > 0)
  return best?.sheet ?? ordered[0]!
}

async function* rowsOf({ zip, workings }: Book, { entry }: Sheet): AsyncGenerator<FileRow> {
  const rows = sheetRows(zip, entry, workings)
  try {
    for (;;) {
      const next = await readable(() => rows.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    await rows.return(undefined)
  }
}

/** Passes the XML of a part to the handlers, and yields after each chunk. */
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

/** Returns the sheets with cells, and the epoch of their dates. */
async function sheetsOf(zip: ZipFile, parts: Parts): Promise<{ sheets: Sheet[]; since: Since }> {
  const named: { name: string; isHidden: boolean; relation: string | undefined }[] = []
  const targets = new Map<string, string>()
  let since: Since = 1900
  await all(zip, parts.get('xl/workbook.xml'), MAX_OTHER, {
    open(name, attributes) {
      if (name === 'sheet' && named.length < MAX_PARTS)
        named.push({
          name: shortName(attributes.name, named.length),
          isHidden: /hidden/i.test(attributes.state ?? ''),
          relation: attributes['r:id'],
        })
      if (name === 'workbookPr' && ['1', 'true'].includes(attributes.date1904!)) since = 1904
    },
  })
  await all(zip, parts.get('xl/_rels/workbook.xml.rels'), MAX_OTHER, {
    open(name, { Id, Target, Type = '' }) {
      if (name === 'Relationship' && Id && Target && !/\/(chart|dialog)sheet$/.test(Type) && targets.size < MAX_PARTS)
        targets.set(Id, Target)
    },
  })
  const sheets = named.flatMap(({ relation, ...sheet }) => {
    const target = targets.get(relation ?? '')
    const entry = target && parts.get(posix.join(target.startsWith('/') ? '' : 'xl', target).replace(/^\//, ''))
    return entry ? [{ ...sheet, entry }] : []
  })
  if (!sheets.length) throw unreadable('Has no sheet that can be read: is it an XLSX file?')
  return { sheets, since }
}

/** Excel allows 31 characters. */
const shortName = (name: string | undefined, n: number) =>
  name?.toWellFormed().replaceAll('\0', '').slice(0, 100) || `Sheet ${n + 1}`

/** Display of a number: as a date or instant, as a time of day, or as a number. */
interface NumberFormat {
  as: 'date' | 'time' | 'number'
  /** Power of ten by which it is displayed larger: 2 for a percentage. */
  shift: number
  /** Minimum number of digits, including leading zeros: 5 for a postcode of `00000`. */
  digits: number
}
const GENERAL: NumberFormat = { as: 'number', shift: 0, digits: 0 }

/** Returns the formats of cells. */
async function cellFormats(zip: ZipFile, parts: Parts): Promise<NumberFormat[]> {
  const custom = new Map<string, NumberFormat>()
  const formats: NumberFormat[] = []
  let isCell = false
  await all(zip, parts.get('xl/styles.xml'), MAX_STYLES, {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt' && custom.size < MAX_FORMATS) custom.set(numFmtId, formatOf(formatCode))
      else if (name === 'cellXfs') isCell = true
      else if (name === 'xf' && isCell && formats.length < MAX_FORMATS)
        formats.push(custom.get(numFmtId) ?? builtIn(Number(numFmtId)))
    },
    close: (name) => void (name === 'cellXfs' && (isCell = false)),
  })
  return formats
}

/** Number formats without a code (ECMA-376, 18.8.30): percentages, and general and East Asian dates and times. */
const BUILT_IN_PERCENTAGES = new Set([9, 10])
const BUILT_IN_DATES = new Set([14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58])
const BUILT_IN_TIMES = new Set([18, 19, 20, 21, 32, 33, 34, 35])

function builtIn(id: number): NumberFormat {
  if (BUILT_IN_PERCENTAGES.has(id)) return { ...GENERAL, shift: 2 }
  return BUILT_IN_DATES.has(id) ? { ...GENERAL, as: 'date' } : BUILT_IN_TIMES.has(id) ? { ...GENERAL, as: 'time' } : GENERAL
}

/**
 * Parses a format code's first section, without texts, escapes and brackets. A year or a day means a date, otherwise an hour a
 * time; each percent sign is a factor of 100. Durations, whose hours are in brackets, are numbers. Decimals that a format hides
 * aren't lost.
 */
function formatOf(code: string): NumberFormat {
  const [plain] = code
    .slice(0, 255)
    .replace(/"[^"]*"?|\\.|_.|\*.|\[[^\]]*\]?/g, '')
    .split(';') as [string]
  if (/^(general|standard)$/i.test(plain.trim())) return GENERAL
  if (/[yd]/i.test(plain)) return { ...GENERAL, as: 'date' }
  if (/h/i.test(plain)) return { ...GENERAL, as: 'time' }
  const percents = plain.match(/%/g)?.length ?? 0
  return { ...GENERAL, shift: percents * 2, digits: /^0{2,40}$/.test(plain.trim()) ? plain.trim().length : 0 }
}

/** Returns the shared strings, to which cells refer by number. */
async function sharedStrings(zip: ZipFile, parts: Parts): Promise<string[]> {
  const strings: string[] = []
  const text = textOf('si', (value) => strings.push(unescaped(value)))
  await all(zip, parts.get('xl/sharedStrings.xml'), MAX_STRINGS, text)
  return strings
}

/** Collects the `t` elements of an element, without phonetic readings (`rPh`). */
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

/**
 * Decodes escapes such as `_x000D_`, which XLSX uses for line ends and for characters that XML doesn't allow (ECMA-376,
 * 22.9.2.19).
 */
const unescaped = (text: string) =>
  text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))).replace(/\r\n?/g, '\n')

interface Workings {
  strings: string[]
  formats: NumberFormat[]
  since: Since
}

async function* sheetRows(zip: ZipFile, sheet: Entry, { strings, formats, since }: Workings): AsyncGenerator<FileRow> {
  const rows: FileRow[] = []
  let row: FileRow = { n: 0, cells: [] }
  let characters = 0
  let column = -1
  let type = ''
  let style = ''
  let value = ''
  let isFormula = false
  let isValue = false

  function numeral(): string {
    const format = formats[Number(style)] ?? GENERAL
    const dated = format.as === 'date' ? dateOf(value, since) : format.as === 'time' ? timeOf(value) : undefined
    if (dated !== undefined) return dated
    const text = numberText(value, format)
    if (/^-?\d+\.\d/.test(text)) (row.numeric ??= []).push(column)
    return text
  }

  function cellText(): string {
    switch (type) {
      case 's':
        return strings[Number(value)] ?? ''
      case 'b':
        return String(value === '1')
      case 'n':
        return numeral()
      case 'inlineStr':
      case 'str':
        return unescaped(value)
      default:
        return value
    }
  }

  function put() {
    const isUncalculated = value === '' && type === 'n' && isFormula
    if (value === '' && !isUncalculated) return
    if (column > MAX_COLUMNS) throw unreadable(`Must be at most ${MAX_COLUMNS} columns wide: row ${row.n} is wider.`)
    const text = isUncalculated ? UNCALCULATED : cellText()
    if ((characters += text.length) > MAX_CHARACTERS_OF_ROW) throw unreadable(`Row ${row.n} is too long.`)
    while (row.cells.length < column) row.cells.push('')
    row.cells[column] = text.toWellFormed().replaceAll('\0', '')
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
        isFormula = false
      } else if (name === 'f') isFormula = true
      else isValue = name === 'v' || name === 't'
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

/** Returns a reference's zero-based column: 27 for `AB12`. */
function columnOf(reference: string) {
  let column = 0
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/** Significant digits that Excel displays, and that a double may have in the file. */
const [SHOWN_DIGITS, DOUBLE_DIGITS] = [15, 17]

/**
 * Returns a number with the digits that Excel displays, without an exponent, with its percent sign. Integers, and numbers with
 * fewer or more digits than a double, are exact already.
 */
function numberText(value: string, { shift, digits }: NumberFormat): string {
  if (!/^[+-]?\d{1,40}(\.\d{1,60})?(e[+-]?\d{1,2})?$/i.test(value)) return value
  const significant = value.split(/e/i, 1)[0]!.replace(/^[+-]?[0.]*|\./g, '').length
  const isDouble = /[.e]/i.test(value) && significant > SHOWN_DIGITS && significant <= DOUBLE_DIGITS
  const isPlain = !isDouble && !shift && !/e/i.test(value)
  const text = isPlain
    ? value
    : new Big(isDouble ? Number(value).toPrecision(SHOWN_DIGITS) : value).times(new Big(10).pow(shift)).toFixed()
  return `${/^\d+$/.test(text) ? text.padStart(digits, '0') : text}${shift ? '%' : ''}`
}

/** Dates are numbers of days since the last day of 1899, or since the first of 1904. */
type Since = 1900 | 1904
const DAYS_BEFORE_1970 = { 1900: 25_569, 1904: 24_107 }

/**
 * Returns the date, or the local date and time, of a number. Undefined before March 1900, for which Excel counts wrongly, and
 * after the year 9999.
 */
function dateOf(number: string, since: Since): string | undefined {
  const days = Number(number)
  if (!(days >= (since === 1900 ? 61 : 0) && days - DAYS_BEFORE_1970[since] < 2_932_897)) return undefined
  const written = new Date(Math.round((days - DAYS_BEFORE_1970[since]) * 86_400_000)).toISOString()
  const [day, time] = written.slice(0, -1).split('T') as [string, string]
  if (time === '00:00:00.000') return day
  return `${day}T${time.replace('.000', '')}`
}

/** Returns the time of day of a fraction of a day, to the second. Undefined for a day or more. */
function timeOf(number: string): string | undefined {
  const days = Number(number)
  if (!(days >= 0 && days < 1)) return undefined
  const seconds = Math.min(Math.round(days * 86_400), 86_399) // never midnight of the next day
  return new Temporal.PlainTime().add({ seconds }).toString({ smallestUnit: 'second' }).replace(/:00$/, '')
}

/** The table of a workbook's sheet. */
export interface Workbook {
  headers: string[]
  header_row: number
  sheet: string
  /** Names of the sheets. */
  sheets: string[]
  batches: Batch[]
  notation: Notation
}

/** Maximum number of sheet names returned. */
const MAX_SHEETS = 200

/** Returns the table of a sheet, or its errors. */
export async function readWorkbook({
  content,
  portions,
  choice,
  titles,
}: {
  content: Uint8Array
  portions: Portions
  choice: TableChoice
  titles: string[]
}): Promise<Workbook | { wrong: FieldErrors }> {
  try {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    const book = await readable(() => openBook(bytes))
    const sheet = await readable(() => chosenSheet(book, choice.sheet))
    const layout = { header_row: choice.header_row, titles: new Set(titles) }
    const { headers, header_row, rows, evidence } = await tableOf(rowsOf(book, sheet), portions, layout)
    const batches = await Array.fromAsync(batchesOf(rows, portions))
    const sheets = book.sheets.slice(0, MAX_SHEETS).map(({ name }) => name)
    return { headers, header_row, sheet: sheet.name, sheets, batches, notation: evidence.proposal() }
  } catch (error) {
    if (error instanceof HttpError && error.errors) return { wrong: error.errors }
    throw error
  }
}
