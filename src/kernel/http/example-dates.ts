/**
 * Shifts dates in the examples of the API documents. Schemas write examples relative to a fixed day; documents show them relative
 * to today. So dates that must be in the future are, and an example can be sent unchanged.
 */
import { DAY } from '../values/time.ts'

/** Day to which the examples in schemas are relative. */
const WRITTEN_ON = '2026-11-20'

const DATE = /^(\d{4}-\d{2}-\d{2})(T.*)?$/

/** Returns a copy of a document, or of a part of it, with example dates shifted from WRITTEN_ON to `today` (YYYY-MM-DD). */
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

/** In a schema `examples` is a list, in a parameter an object by name. A property named `examples` has a schema there instead. */
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
