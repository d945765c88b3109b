/**
 * Dates in the examples of the API documents. Schemas write them as of one day, and whoever reads a document gets them as of today, so that
 * a day which must lie ahead always does and an example can be sent as it stands.
 */
import { DAY } from '../values/time.ts'

/** Examples in schemas are written as of this day. */
const WRITTEN_ON = '2026-11-20'

const DATE = /^(\d{4}-\d{2}-\d{2})(T.*)?$/

/** Returns a copy of a document, or of a part of it, whose example dates lie as far from `today` (YYYY-MM-DD) as they were written from WRITTEN_ON. */
export function withExamplesAsOf<T>(document: T, today: string): T {
  const days = Math.round((Date.parse(today) - Date.parse(WRITTEN_ON)) / (DAY * 1000))
  return days === 0 ? document : (copy(document, days) as T)
}

function copy(node: unknown, days: number): unknown {
  if (Array.isArray(node)) return node.map((one) => copy(one, days))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, isExample(key, value) ? shift(value, days) : copy(value, days)]),
  )
}

/** A schema's `examples` are a list, a parameter's an object by name. A property that is called `examples` has a schema there instead. */
const isExample = (key: string, value: unknown) =>
  key === 'examples' && (Array.isArray(value) || Object.values(value as object).every(isNamedExample))

const isNamedExample = (node: unknown) => typeof node === 'object' && node !== null && 'value' in node

function shift(node: unknown, days: number): unknown {
  if (Array.isArray(node)) return node.map((one) => shift(one, days))
  if (typeof node === 'object' && node !== null)
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, shift(value, days)]))
  if (typeof node !== 'string') return node
  const [, date, time = ''] = DATE.exec(node) ?? []
  return date ? new Date(Date.parse(date) + days * DAY * 1000).toISOString().slice(0, 10) + time : node
}
