/**
 * Reads vCards of versions 3 and 4 (RFC 2426, 6350) as rows of a table, one per card: in a single pass over the stream, in linear
 * time.
 */
import { setImmediate } from 'node:timers/promises'
import { type FileRow, unreadable } from './table.ts'

/** Columns of the table, named like the fields of contacts. */
const HEADERS = ['Name', 'Email', 'Phone', 'Job title', 'Company', 'Address', 'Street', 'Postcode', 'City', 'Country', 'Notes']
type Cells = string[]

/** Maximum number of characters of an unfolded line. Pictures are longer, and are skipped. */
const MAX_LINE = 100_000
const MAX_LINES = 1_000_000
/** Lines after which it yields to the event loop. */
const SLICE = 500

/** A content line: the property's name without its group, its parameters, its raw value. */
export interface ContentLine {
  name: string
  parameters: Map<string, string>
  value: string
}

/** Yields the rows of a .vcf file, the headers first. Throws 422 on `file` for anything but vCards of version 3 or 4. */
export async function* vcardRows(text: AsyncIterable<string>): AsyncGenerator<FileRow> {
  yield { n: 1, cells: HEADERS }
  let n = 1
  let card: ContentLine[] | undefined
  let count = 0
  for await (const line of unfolded(text)) {
    if (++count % SLICE === 0) await setImmediate()
    const read = contentLine(line)
    if (!read) {
      if (line.trim() === '') continue
      throw unreadable('Is no vCard file: a line is no property of a card.')
    }
    const value = read.value.trim().toUpperCase()
    if (read.name === 'BEGIN' && value === 'VCARD') {
      if (card) throw unreadable('A card begins inside another one.')
      card = []
    } else if (!card) throw unreadable('Is no vCard file: it must begin with BEGIN:VCARD.')
    else if (read.name === 'END' && value === 'VCARD') {
      yield { n: ++n, cells: cellsOf(card) }
      card = undefined
    } else card.push(read)
  }
  if (card) throw unreadable('Its last card has no END:VCARD.')
}

/** Yields unfolded lines. Lines that are too long are truncated after their beginning, which contains the name. */
async function* unfolded(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let line: string | undefined
  let lines = 0
  const physical = async function* () {
    for await (const piece of text) {
      const parts = (rest + piece).split('\n')
      rest = parts.pop()!
      if (rest.length > MAX_LINE) rest = rest.slice(0, MAX_LINE)
      yield* parts
    }
    yield rest
  }
  for await (const raw of physical()) {
    if (++lines > MAX_LINES) throw unreadable(`Must have at most ${MAX_LINES} lines.`)
    const one = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (line !== undefined && (one.startsWith(' ') || one.startsWith('\t'))) {
      if (line.length < MAX_LINE) line += one.slice(1, MAX_LINE)
      continue
    }
    if (line !== undefined) yield line
    line = one.replace(/^\ufeff/, '')
  }
  if (line !== undefined) yield line
}

function contentLine(line: string): ContentLine | undefined {
  const [, name] = /^(?:[A-Za-z0-9-]{1,100}\.)?([A-Za-z0-9-]{1,100})(?=[;:])/.exec(line) ?? []
  if (!name) return undefined
  const parameters = new Map<string, string>()
  let at = line.search(/[;:]/)
  while (line[at] === ';') {
    let end = at + 1
    let isQuoted = false
    for (; end < line.length && (isQuoted || (line[end] !== ';' && line[end] !== ':')); end++)
      if (line[end] === '"') isQuoted = !isQuoted
    const [key = '', ...values] = line.slice(at + 1, end).split('=')
    const said = values.length ? values.join('=').replace(/"/g, '') : key
    const known = values.length ? key.toUpperCase() : 'TYPE'
    parameters.set(known, [parameters.get(known), said].filter(Boolean).join(','))
    at = end
  }
  return line[at] === ':' ? { name: name.toUpperCase(), parameters, value: line.slice(at + 1) } : undefined
}

/** Returns the parts of a structured value, unescaped. */
function partsOf(value: string): string[] {
  const parts: string[] = []
  let part = ''
  for (let at = 0; at < value.length; at++) {
    const sign = value.charAt(at)
    if (sign === '\\' && at + 1 < value.length) {
      const next = value.charAt(++at)
      part += next === 'n' || next === 'N' ? '\n' : next
    } else if (sign === ';') {
      parts.push(part)
      part = ''
    } else part += sign
  }
  parts.push(part)
  return parts.map((part) => part.trim())
}
const textOf = (value: string) => partsOf(value).join(';').trim()

/** Decodes a parameter value (RFC 6868). */
const parameterText = (text: string) => text.replace(/\^(['n^])/g, (_, sign) => (sign === 'n' ? '\n' : sign === "'" ? '"' : '^'))

function cellsOf(card: ContentLine[]): Cells {
  const version = card.find(({ name }) => name === 'VERSION')?.value.trim()
  if (version !== '3.0' && version !== '4.0') throw unreadable('Must hold vCards of version 3.0 or 4.0.')
  const text = (name: string) => textOf(preferred(card, name)?.value ?? '')
  const parts = (name: string) => partsOf(preferred(card, name)?.value ?? '')
  const [family = '', given = '', middle = '', prefix = '', suffix = ''] = parts('N')
  const [company = ''] = parts('ORG')
  const email = text('EMAIL').replace(/^mailto:/i, '')
  const name = text('FN') || [prefix, given, middle, family, suffix].filter(Boolean).join(' ') || company || email
  const address = preferred(card, 'ADR')
  const [box = '', more = '', street = '', city = '', region = '', postcode = '', country = ''] = partsOf(address?.value ?? '')
  const isCode = /^[A-Za-z]{2}$/.test(country)
  const written = [[street, more, box], [postcode, city], [region], [country]].map((some) => some.filter(Boolean).join(' '))
  const label = parameterText(address?.parameters.get('LABEL') ?? '').replace(/\\n/gi, '\n') || text('LABEL')
  const printed = label || (isCode || !country ? '' : written.filter(Boolean).join('\n'))
  const phone = text('TEL').replace(/^tel:/i, '')
  const oneLine = (value: string) =>
    value
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .join(', ')
  return [name, email, phone, text('TITLE'), company]
    .map(oneLine)
    .concat([printed, oneLine(street), postcode, city, isCode ? country.toUpperCase() : '', text('NOTE')])
}

/** Returns the property that the card marks as preferred, else the first one. */
function preferred(card: ContentLine[], name: string): ContentLine | undefined {
  const all = card.filter((line) => line.name === name && line.value.trim() !== '')
  const rank = ({ parameters }: ContentLine) =>
    Number(parameters.get('PREF')) || (/\bpref\b/i.test(parameters.get('TYPE') ?? '') ? 1 : 101)
  return all.toSorted((a, b) => rank(a) - rank(b))[0]
}
