/**
 * Writes XLSX (Office Open XML, ECMA-376) as a stream: strings are inline instead of in a shared table, so that only one batch of
 * rows is in memory. Numbers and dates are stored as such.
 */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { inSlices } from '../loop-slices.ts'
import { type Column, cellText, type Format } from './columns.ts'

interface SheetOptions {
  /** Name of the sheet; characters that Excel doesn't allow are removed. */
  name: string
  /** IANA timezone in which instants are shown; their column titles contain it. */
  timezone: string
  /** Workspace for which the computing time counts. */
  workspace: number
  /** Maximum number of rows per sheet, including the header; further rows go to the next sheet. Default: Excel's limit. */
  rowsPerSheet?: number
}

/**
 * Returns the file as a stream. Destroying it ends the reading of the batches; errors of the batches become errors of the stream.
 */
export function xlsx<R>(columns: readonly Column<R>[], batches: AsyncIterable<R[]>, options: SheetOptions): Readable {
  const zip = new ZipFile()
  const out = zip.outputStream as Readable
  const rows = rowsOf(columns, batches, options)
  const fail = (error: unknown) => out.destroy(error as Error)
  let sheet: Readable | undefined
  out.once('close', () => {
    sheet?.destroy()
    void rows.return().catch(() => {})
  })
  zip.on('error', fail)

  async function write() {
    const ahead = { next: await rows.next() }
    let sheets = 0
    while (!ahead.next.done || !sheets) {
      sheet = Readable.from(sheetXml(columns, rows, ahead, options), { objectMode: false })
      sheet.once('error', fail)
      zip.addReadStream(sheet, `xl/worksheets/sheet${++sheets}.xml`)
      await once(sheet, 'end')
    }
    for (const [path, xml] of packageParts(sheetName(options.name), sheets)) zip.addBuffer(Buffer.from(HEAD + xml), path)
    zip.end()
  }
  write().catch(fail)
  return out
}

/** Yields the cells of each row as XML. */
async function* rowsOf<R>(columns: readonly Column<R>[], batches: AsyncIterable<R[]>, { timezone, workspace }: SheetOptions) {
  const cell = columns.map((column) => (row: R) => cellXml(cellText(column, row), column.format, timezone))
  for await (const batch of batches) yield* await inSlices(workspace, batch, (row) => cell.map((write) => write(row)).join(''))
}

const CHUNK = 64 * 1024

/** Yields one sheet with as many rows as fit. `ahead` has the next row, which may belong to the next sheet. */
async function* sheetXml<R>(
  columns: readonly Column<R>[],
  rows: AsyncIterator<string>,
  ahead: { next: IteratorResult<string> },
  { timezone, rowsPerSheet = 1_048_576 }: SheetOptions,
) {
  const titles = columns.map(({ title, format }) => (format === 'instant' ? `${title} (${timezone})` : title))
  const widths = columns.map(({ format }, n) => Math.max(WIDTHS[format], titles[n]!.length + 2))
  let xml = `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">\
<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>\
<cols>${widths.map((width, n) => `<col min="${n + 1}" max="${n + 1}" width="${width}" customWidth="1"/>`).join('')}</cols>\
<sheetData><row>${titles.map((title) => textXml(title, STYLES.header)).join('')}</row>`
  for (let written = 1; !ahead.next.done && written < rowsPerSheet; written++) {
    xml += `<row>${ahead.next.value}</row>`
    if (xml.length > CHUNK) {
      yield xml
      xml = ''
    }
    ahead.next = await rows.next()
  }
  yield `${xml}</sheetData></worksheet>`
}

/** Indexes of the cell formats defined below. */
const STYLES = { text: 0, number: 0, header: 1, money: 2, date: 3, instant: 4 }
const WIDTHS: Record<Format, number> = { text: 24, number: 12, money: 16, date: 12, instant: 20 }

function cellXml(text: string, format: Format, timezone: string) {
  const value = format === 'text' || text === '' ? undefined : numberOf(text, format, timezone)
  if (value !== undefined) return `<c s="${STYLES[format]}"><v>${value}</v></c>`
  return text === '' ? '<c/>' : textXml(text, STYLES.text)
}

/** Returns decimals unchanged, and dates as days since 1899-12-30, which Excel counts correctly from March 1900 on. */
function numberOf(text: string, format: Format, timezone: string): string | undefined {
  if (format === 'number' || format === 'money') return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? text : undefined
  if (text < '1900-03-01') return undefined
  const utc = Date.parse(text)
  const local = format === 'date' ? utc : utc + offsetAt(text, timezone)
  return Number.isNaN(local) ? undefined : String(Math.round((local / 86_400_000 + 25_569) * 1e8) / 1e8)
}

/** Offset of a timezone from UTC at an instant, in milliseconds. */
const offsetAt = (instant: string, timezone: string) =>
  timezone === 'UTC' ? 0 : Temporal.Instant.from(instant).toZonedDateTimeISO(timezone).offsetNanoseconds / 1e6

/**
 * Escapes a text: a cell has at most 32,767 characters; `_x0041_` would be read as an escape; XML allows no control characters.
 */
function textXml(text: string, style: number) {
  const safe = text
    .slice(0, 32_767)
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replace(/_(?=x[\dA-F]{4}_)/gi, '_x005F_')
    .replace(/[&<>]/g, (char) => ({ '&': '&amp;', '<': '&lt;' })[char] ?? '&gt;')
  return `<c s="${style}" t="inlineStr"><is><t xml:space="preserve">${safe}</t></is></c>`
}

/**
 * Returns a valid sheet name: at most 31 characters, none of []:*?/\, no apostrophe at either end; History is reserved by Excel.
 */
export function sheetName(name: string) {
  const plain = name
    .replace(/[\p{Cc}[\]:*?/\\]/gu, ' ')
    .slice(0, 28) // room for the number of a further sheet
    .replace(/^['\s]+|['\s]+$/g, '')
  return !plain || plain.toLowerCase() === 'history' ? 'Sheet' : plain
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Returns the parts of the package other than the sheets. */
function packageParts(name: string, sheets: number): [path: string, xml: string][] {
  const each = (write: (n: number) => string) => Array.from({ length: sheets }, (_, n) => write(n + 1)).join('')
  const title = (n: number) =>
    (n === 1 ? name : `${name} ${n}`).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;')
  return [
    [
      '[Content_Types].xml',
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="application/xml"/>\
<Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/>\
<Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/>\
${each((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${TYPES}.worksheet+xml"/>`)}</Types>`,
    ],
    [
      '_rels/.rels',
      `<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>\
${each((n) => `<sheet name="${title(n)}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${RELATIONS}">\
${each((n) => `<Relationship Id="rId${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}\
<Relationship Id="rId${sheets + 1}" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    ],
    [
      'xl/styles.xml',
      `<styleSheet xmlns="${MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="#,##0.00##"/>\
<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd hh:mm:ss"/></numFmts>\
<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>\
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>\
<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="5"><xf/>\
<xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/>\
<xf numFmtId="166" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ],
  ]
}
