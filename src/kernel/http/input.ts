/** Parses client input into trusted values, or throws a 4xx that names the field. */
import { z } from 'zod'
import { badRequest, type FieldErrors, invalid, notFound } from '../errors.ts'
import { readingSent, readingStored } from '../values/html.ts'
import { MAX_VALUES, oversized, tooManyValues } from './bounds.ts'
import { textParams } from './route.ts'

const MAX_DEPTH = 32

const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** Default messages that say what is expected; a schema's own message takes precedence. */
z.config({
  customError(issue) {
    if (issue.code === 'invalid_type')
      return issue.input === undefined ? 'Is required.' : `Must be ${kinds[issue.expected] ?? issue.expected}.`
    if (issue.code === 'invalid_value') return `Must be ${issue.values.map(String).join(' or ')}.`
    if (issue.code === 'invalid_union') return 'Is of none of the kinds that it may be.'
    if (issue.code === 'too_small') return counted(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)
    if (issue.code === 'too_big') return counted(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)
    return undefined
  },
})

function counted(origin: string, bound: string, n: number | bigint) {
  const one = Number(n) === 1
  if (origin === 'string') return `Must have ${bound} ${n} ${one ? 'character' : 'characters'}.`
  return origin === 'array' ? `Must have ${bound} ${n} ${one ? 'entry' : 'entries'}.` : `Must be ${bound} ${n}.`
}

/**
 * Validates against a schema. Throws 422 with every wrong field by its dotted name, including those already in `wrong`. `anyText`
 * accepts texts that can't be stored, for callers that check them later.
 */
export function parse<S extends z.core.$ZodType>(
  schema: S,
  value: unknown,
  wrong: FieldErrors = {},
  { anyText = false } = {},
): z.output<S> {
  const large = oversized(schema, value)
  if (large) throw invalid({ ...wrong, ...large })
  refuseUnstorable(value, anyText)
  const parsed = read(schema, value ?? {})
  if ('data' in parsed && !Object.keys(wrong).length) return parsed.data
  const errors: FieldErrors = { ...wrong }
  const mistyped = new Set<string>() // a field of the wrong type gets no further messages
  for (const { code, path, message } of 'issues' in parsed ? parsed.issues : []) {
    const field = path.map(String).join('.') || 'body'
    if (mistyped.has(field)) continue
    const isOfType = code === 'invalid_type' || code === 'invalid_value'
    if (isOfType) mistyped.add(field)
    const told = isOfType && valueAt(value, path) === undefined ? 'Is required.' : message
    if (!errors[field]?.includes(told)) (errors[field] ??= []).push(told)
  }
  throw invalid(errors)
}

/** Validates stored data before it is restored: its formatted texts were sanitised on input. Otherwise as `parse`. */
export const parseStored = <S extends z.core.$ZodType>(schema: S, value: unknown): z.output<S> =>
  readingStored(() => parse(schema, value))

/**
 * Returns a schema's output, or its issues. Forms send `""` for empty fields: where a field may be null and can't be an empty
 * text, `""` is read as null.
 */
function read<S extends z.core.$ZodType>(schema: S, value: unknown): { data: z.output<S> } | { issues: z.core.$ZodIssue[] } {
  const first = readingSent(() => z.safeParse(schema, value))
  if (first.success) return first
  const { issues } = first.error
  const blank = new Set(issues.filter(({ path }) => valueAt(value, path) === '').map(({ path }) => path.join('.')))
  if (!blank.size) return { issues }
  const again = readingSent(() => z.safeParse(schema, nulled(value, blank)))
  if (again.success) return again
  const still = new Set(again.error.issues.map(({ path }) => path.join('.')))
  return { issues: issues.filter(({ path }) => !blank.has(path.join('.')) || still.has(path.join('.'))) }
}

/** Returns a copy with null in place of empty texts at the given dotted names. */
function nulled(value: unknown, names: Set<string>, at?: string): unknown {
  if (value === '' && at !== undefined && names.has(at)) return null
  const below = (key: string | number) => (at === undefined ? `${key}` : `${at}.${key}`)
  if (Array.isArray(value)) return value.map((entry, n) => nulled(entry, names, below(n)))
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, nulled(entry, names, below(key))]))
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))

const valueAt = (value: unknown, path: PropertyKey[]): unknown =>
  path.reduce((within, key) => (within as Record<PropertyKey, unknown> | null | undefined)?.[key], value)

/** Rejects values that PostgreSQL can't store (NUL), more than 32 levels of nesting, and more than 50,000 values. */
function refuseUnstorable(value: unknown, anyText: boolean) {
  const found = findUnstorable(value, { values: 0, anyText }, 0)
  if (found) throw invalid({ [found.path.join('.') || 'body']: found.why })
}

/**
 * Returns the first text that can't be stored, with its path. The path is built while returning, so that valid bodies allocate
 * none.
 */
function findUnstorable(
  value: unknown,
  seen: { values: number; anyText: boolean },
  depth: number,
): { why: string; path: string[] } | undefined {
  if (++seen.values > MAX_VALUES) throw tooManyValues()
  if (typeof value === 'string') {
    if (seen.anyText) return undefined
    if (value.includes('\0')) return { why: 'Must not contain NUL characters.', path: [] }
    if (!value.isWellFormed()) return { why: 'Must be well-formed Unicode text.', path: [] }
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > MAX_DEPTH) throw badRequest(`The body is nested more than ${MAX_DEPTH} levels deep.`)
  const isList = Array.isArray(value)
  for (const key in value) {
    if (!isList && !seen.anyText && (key.includes('\0') || !key.isWellFormed()))
      throw badRequest('Field names must not contain NUL characters.')
    const found = findUnstorable((value as Record<string, unknown>)[key], seen, depth + 1)
    if (found) return { ...found, path: [key, ...found.path] }
  }
  return undefined
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Parses path parameters: integers, or texts. One that can't be an id matches nothing: 404. */
export function pathParams(params: unknown): Record<string, string | number> {
  const given = Object.entries((params ?? {}) as Record<string, string>)
  return Object.fromEntries(
    given.map(([name, text]) => {
      if ((textParams as readonly string[]).includes(name)) {
        if (text.includes('\0') || text.length > 500 || (name === 'uuid' && !UUID.test(text))) throw notFound()
        return [name, text]
      }
      const id = Number(text)
      if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(id)) throw notFound()
      return [name, id]
    }),
  )
}
