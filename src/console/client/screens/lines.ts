/** Lines of a form as data: rows pasted from a table, values filled from a chosen record, rarely used fields. */
import { readNumber } from './numbers.ts'
import type { Field, Row } from './shape.ts'
import { decimalSign, isNumeric } from './values.tsx'

export type Line = Record<string, unknown>

const isBlank = (value: unknown) => value === undefined || value === null || value === ''

/** Returns a new line; quantity is 1 where it has a price. */
export function newLine(fields: Field[] = []): Line {
  const isAsked = (name: string) => fields.some((field) => field.name === name && field.is_required)
  return isAsked('quantity') && isAsked('unit_price') ? { quantity: 1 } : {}
}

/** Returns whether a line has only initial values. */
export function isBlankLine(line: Line, fields?: Field[]) {
  const begun = newLine(fields)
  return Object.entries(line).every(([name, value]) => isBlank(value) || value === begun[name])
}

/**
 * Returns whether a field is visible in each line: required fields, references, and numbers with a default or a value. The rest
 * is collapsed.
 */
export const isUsual = (field: Field, lines: Line[]) =>
  Boolean(field.is_required) ||
  field.kind === 'reference' ||
  (isNumeric(field) &&
    (field.default !== undefined || lines.some((line) => !isBlank(line[field.name]) && Number(line[field.name]) !== 0)))

/** Returns a line with a chosen record. The record's values fill empty fields; when it replaces another record, all of them. */
export function withChosen(line: Line, { name, fills = {} }: Field, key: unknown, chosen: Row | undefined): Line {
  const next: Line = { ...line, [name]: key }
  const isAnother = !isBlank(line[name])
  for (const [to, from] of Object.entries(fills)) {
    const isOpen = isAnother || isBlank(line[to]) || Number(line[to]) === 0
    if (chosen && isOpen && !isBlank(chosen[from])) next[to] = chosen[from]
  }
  return next
}

/**
 * Parses cells as spreadsheets copy them: separated by tabs, quoted where they contain line breaks. Undefined for text that is no
 * table.
 */
export function cellsOf(copied: string): string[][] | undefined {
  const text = copied.replaceAll('\r\n', '\n').trimEnd()
  if (!text.includes('\t') && !text.includes('\n')) return undefined
  const rows: string[][] = [[]]
  for (let at = 0; at <= text.length; at++) {
    const isQuoted = text[at] === '"'
    const quoted = isQuoted ? closingQuote(text, at + 1) : at
    let end = quoted
    while (end < text.length && text[end] !== '\t' && text[end] !== '\n') end++
    const cell = isQuoted ? text.slice(at + 1, quoted).replaceAll('""', '"') : text.slice(at, end)
    rows.at(-1)!.push(cell.trim())
    if (text[end] === '\n') rows.push([])
    at = end
  }
  return rows.filter((row) => row.some(Boolean))
}

/** Returns the end of a quoted cell: the first quote that isn't doubled, or the end of the text. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at < 0 ? text.length : at
}

/** Converts a formatted number, `1.234,50 €`, to the API's format; other text stays. */
const figureOf = (text: string) => readNumber(text.replace(/[^\d.,\s'’-]/g, ''), decimalSign) ?? text

/** Converts rows of a table to lines. The first column is the field pasted into, unless the first row contains field names. */
export function linesOf(rows: string[][], fields: Field[], into: Field): Line[] {
  const typed = fields.filter(({ kind }) => kind !== 'reference' && kind !== 'html')
  const called = (cell: string) =>
    typed.find(({ name, label }) => [name, label].some((one) => one.toLowerCase() === cell.toLowerCase()))
  const head = rows[0]!.map(called)
  const isHead = head.filter(Boolean).length > 1
  const columns = isHead ? head : typed.slice(Math.max(0, typed.indexOf(into)))
  return (isHead ? rows.slice(1) : rows).map((row) =>
    Object.fromEntries(
      row.flatMap((cell, n): [string, unknown][] => {
        const field = columns[n]
        return field && cell !== '' ? [[field.name, cellValue(field, cell)]] : []
      }),
    ),
  )
}

function cellValue(field: Field, cell: string): unknown {
  if (isNumeric(field)) return figureOf(cell)
  if (!field.options) return cell.replace(/\s+/g, ' ') // texts of a line are single-line
  const option = field.options?.find(({ value, label }) => [value, label].some((one) => one.toLowerCase() === cell.toLowerCase()))
  return option ? option.value : cell
}
