/** Values of a form: initial ones, and the body that is sent. */
import type { Signal } from '@preact/signals'
import { isBlankLine, newLine } from './lines.ts'
import { isExact } from './numbers.ts'
import { type Field, type Row, summaryOf } from './shape.ts'
import { isNumeric } from './values.tsx'

export type Values = Record<string, unknown>
/** Errors by the API's path: `lines.0.quantity`. */
export type Errors = Record<string, readonly string[]>
/** The server's lines, by the values sent for each. */
export type Reckoned = WeakMap<Values, Row>

/** Props of an input. */
export interface InputProps {
  field: Field
  value: unknown
  errors: Errors
  /** Path of the field in the API's errors: `lines.0.quantity`. */
  at: string
  row?: Row | undefined
  reckoned?: Signal<Reckoned> | undefined
  /** `chosen` is the record selected in a reference. */
  set: (value: unknown, chosen?: Row) => void
}

/** Returns the initial values of a form: the record's, or else the defaults. */
export function initialOf(fields: Field[], row: Row | undefined): Values {
  return Object.fromEntries(fields.map((field) => [field.name, row ? fromRow(field, row) : startOf(field)]))
}

function startOf(field: Field): unknown {
  if (field.kind === 'lines') return [newLine(field.fields)]
  return isAsked(field) ? field.default : undefined
}

function fromRow(field: Field, row: Row): unknown {
  const value = row[field.name]
  if (field.kind === 'lines' && Array.isArray(value)) return value.map((line) => initialOf(field.fields ?? [], line))
  if (field.kind === 'references' && !value) {
    const found = row[field.name.replace(/_ids$/, 's')]
    return Array.isArray(found) ? found.map(({ id }: Row) => id) : undefined
  }
  return value
}

/** Returns whether an object field has inputs for its parts. */
export const isGroup = ({ kind, fields }: Field) => kind === 'object' && !!fields?.length

export const isEmpty = (value: unknown) => value === undefined || value === '' || value === null

/** Position of a line, implied by its place on the screen. */
export const ORDER = 'sort_order'

/** Returns the lines that are not blank. */
export const saidLines = (fields: Field[], lines: Values[]) =>
  lines.filter((line) => !isBlankLine(line, fields) && Object.keys(sentOf(fields, line)).some((name) => name !== ORDER))

/** Converts a field's value for the API: numbers as numbers, times with two-digit hours, empty as null where allowed. */
function sent(field: Field, value: unknown): unknown {
  if (field.kind === 'lines' && Array.isArray(value)) {
    const [fields, isOrdered] = [
      (field.fields ?? []).filter(({ name }) => name !== ORDER),
      field.fields?.some(({ name }) => name === ORDER),
    ]
    const lines = saidLines(fields, value).map((line) => sentOf(fields, line))
    return isOrdered ? lines.map((line, n) => ({ ...line, [ORDER]: n })) : lines
  }
  if (isGroup(field) && value && typeof value === 'object') {
    const said = sentOf(field.fields ?? [], value as Values)
    return Object.keys(said).length ? said : field.is_nullable ? null : undefined
  }
  if (isEmpty(value)) return field.is_nullable ? null : undefined
  if (isNumeric(field)) {
    const text = String(value)
    return isExact(text) && text.length <= 15 ? Number(text) : value
  }
  if (field.kind === 'time') return String(value).trim().replace(/^\d:/, '0$&')
  if (field.kind === 'instant') return /Z|[+-]\d\d:\d\d$/.test(String(value)) ? value : new Date(String(value)).toISOString()
  if (field.kind === 'json' && typeof value === 'string') {
    try {
      return JSON.parse(value)
    } catch {
      return value
    }
  }
  return value
}

/** Returns the body of a form, limited to the fields in `only`. */
export function sentOf(fields: Field[], values: Values, only?: Set<string>): Record<string, unknown> {
  const pairs = fields
    .filter(({ name }) => !only || only.has(name))
    .map((field) => [field.name, sent(field, values[field.name])] as const)
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined && (only || value !== null)))
}

/** After sending: fields changed since then remain touched. */
export function keepUnsent(touched: Set<string>, sent: Values, now: Values) {
  for (const name of touched) if (now[name] === sent[name]) touched.delete(name)
}

/** Returns whether a field is shown. Optional references to, and creators of, records of a missing or hidden list are not. */
export const isAsked = ({ refers_to, makes, is_required }: Field) =>
  is_required || [refers_to, makes].every((target) => !target?.screen || summaryOf(target.screen) !== undefined)
