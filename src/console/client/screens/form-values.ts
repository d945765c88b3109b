/** The values of a form: what it begins with, and what is sent of it. */
import type { Signal } from '@preact/signals'
import { isBlankLine, newLine } from './lines.ts'
import { isExact } from './numbers.ts'
import { type Field, type Row, summaryOf } from './shape.ts'
import { isNumeric } from './values.tsx'

export type Values = Record<string, unknown>
/** What is wrong, by where the API names it: `lines.0.quantity`. */
export type Errors = Record<string, readonly string[]>
/** Lines as the server reckons them, by what was sent of each. */
export type Reckoned = WeakMap<Values, Row>

/** What asks for the value of a field is given. */
export interface InputProps {
  field: Field
  value: unknown
  errors: Errors
  /** Where the API names it in errors: `lines.0.quantity`. */
  at: string
  row?: Row | undefined
  reckoned?: Signal<Reckoned> | undefined
  /** `chosen` is the record that a reference names. */
  set: (value: unknown, chosen?: Row) => void
}

/** What a form begins with: of a record that there is, else what counts where nothing is sent. */
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

/** Whether what it is made of is asked for one by one. */
export const isGroup = ({ kind, fields }: Field) => kind === 'object' && !!fields?.length

export const isEmpty = (value: unknown) => value === undefined || value === '' || value === null

/** Of a line: where it stands, which is where it is on the screen. */
export const ORDER = 'sort_order'

/** The lines of a form of which something is sent. */
export const saidLines = (fields: Field[], lines: Values[]) =>
  lines.filter((line) => !isBlankLine(line, fields) && Object.keys(sentOf(fields, line)).some((name) => name !== ORDER))

/** What is sent of a field: numbers as numbers, times with two digits of the hour, nothing as null where that may be. */
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

/** The body of a form: what was typed, and with `only` what of it was touched. */
export function sentOf(fields: Field[], values: Values, only?: Set<string>): Record<string, unknown> {
  const pairs = fields
    .filter(({ name }) => !only || only.has(name))
    .map((field) => [field.name, sent(field, values[field.name])] as const)
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined && (only || value !== null)))
}

/** Of a form that was sent: what was typed since is still to be sent. */
export function keepUnsent(touched: Set<string>, sent: Values, now: Values) {
  for (const name of touched) if (now[name] === sent[name]) touched.delete(name)
}

/** What names or makes records of a list that isn't there, or isn't open to whoever looks, is asked for only where it must be said. */
export const isAsked = ({ refers_to, makes, is_required }: Field) =>
  is_required || [refers_to, makes].every((target) => !target?.screen || summaryOf(target.screen) !== undefined)
