/** Valid and invalid values for a schema, generated from the schema alone. */
import { dayFromStart } from '../days.ts'

export interface Schema {
  type?: string
  format?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  pattern?: string
  minItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  multipleOf?: number
  'x-refers-to'?: string
  'x-picker'?: boolean
  'x-resource'?: string
}

/** Returns a schema without its null alternative, merged with its siblings. */
export function bare({ anyOf, ...beside }: Schema): Schema {
  if (!anyOf) return beside
  return { ...bare(anyOf.find(({ type }) => type !== 'null')!), ...beside }
}

export interface Maker {
  /** Returns a reference to a record of this type: its id or uuid. */
  reference(kind: string, schema: Schema): Promise<unknown>
  /** Number of fields: the required ones, or all. */
  fields: 'required' | 'all'
  /** Returns a new number, for values that must be unique. */
  next(): number
}

/** Returns a valid value; undefined where the schema isn't enough (a pattern). */
export async function valid(schema: Schema, maker: Maker, field = 'value'): Promise<unknown> {
  const one = bare(schema)
  if (one['x-refers-to']) return maker.reference(one['x-refers-to'], one)
  if ('const' in one) return one.const
  if (one.enum) return one.enum[0]
  if (one.properties) return validObject(one, maker)
  if (one.type === 'array') return validList(one, maker, field)
  if (one.type === 'object') return {}
  if (one.type === 'boolean') return one.default !== true
  if (one.type === 'integer' || one.type === 'number') return Math.max(one.minimum ?? 0, one.exclusiveMinimum ?? 0) + 1
  if (one.format === 'binary') return new File(['Some text'], 'text.txt', { type: 'text/plain' })
  return one.type === 'string' ? validText(one, maker.next(), field) : undefined
}

async function validObject({ properties = {}, required = [] }: Schema, maker: Maker) {
  const body: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(properties))
    if (maker.fields === 'all' || required.includes(name)) body[name] = await valid(field, maker, name)
  return body
}

/** Returns one item where items are objects or references, or where one is required; otherwise an empty list. */
async function validList({ items = {}, minItems = 0 }: Schema, maker: Maker, field: string) {
  const entry = bare(items)
  return minItems || entry.properties || entry['x-refers-to'] ? [await valid(entry, maker, field)] : []
}

function validText({ format, pattern, minLength = 0, maxLength = 200 }: Schema, n: number, field: string) {
  if (format === 'email') return `somebody${n}@example.test`
  if (format === 'date') return pastDay(n, field)
  if (format === 'currency') return n % 2 ? 'EUR' : 'USD'
  if (format === 'timezone') return n % 2 ? 'Europe/Paris' : 'Asia/Tokyo'
  if (format === 'date-time') return `${pastDay(n, field)}T09:30:00.000Z`
  if (format === 'uri' || format === 'website') return `https://example.test/${n}`
  if (pattern || format === 'uuid') return undefined
  return `${n} ${field}`.slice(0, maxLength).padEnd(minLength, 'x')
}

/** Returns a day of the past year: end dates are later than start dates. */
const pastDay = (n: number, field: string) =>
  dayFromStart((/(^|_)(ends?|due|until|to|expected|expires)(_|$)/.test(field) ? -180 : -330) + 2 * (n % 60))

/** Returns values of the wrong type or out of bounds. */
export function wrong(schema: Schema): unknown[] {
  const one = bare(schema)
  const nullable = schema.anyOf?.some(({ type }) => type === 'null') || !one.type
  const all: unknown[] = nullable ? [] : [null]
  if (one.enum || 'const' in one) all.push('nonsense', 7)
  else if (one.type === 'string') all.push(7, ['x'], { a: 1 })
  else if (one.type === 'boolean') all.push('yes', 1)
  else if (one.type === 'integer') all.push('x', 1.5, true)
  else if (one.type === 'number') all.push('x', true, {})
  else if (one.type === 'array' || one.type === 'object') all.push('x', 7)
  // For nullable fields an empty text means null.
  if (one.type === 'string' && one.minLength && !one.enum && !nullable) all.push('')
  if (one.type === 'string' && one.maxLength && one.maxLength < 100_000 && !one.enum) all.push('x'.repeat(one.maxLength + 1))
  if (one.format === 'date') all.push('2026-02-30', 'tomorrow')
  if (one.format === 'email') all.push('nobody')
  if (one.format === 'currency') all.push('XXZ')
  if (one.minimum !== undefined && one.minimum > Number.MIN_SAFE_INTEGER) all.push(one.minimum - 1)
  if (one.exclusiveMinimum !== undefined) all.push(one.exclusiveMinimum)
  if (one.maximum !== undefined && one.maximum < Number.MAX_SAFE_INTEGER) all.push(one.maximum + 1)
  if (one.multipleOf !== undefined) all.push((one.minimum ?? 0) + one.multipleOf / 10)
  return all
}

/** Returns an invalid value of a query parameter. */
export const wrongInQuery = (schema: Schema): string =>
  schema.maxLength && !schema.enum && !schema.pattern ? 'x'.repeat(schema.maxLength + 1) : 'no such thing'
