/** Parses the cells of a row into a record, as the reverse of an export: each field by its own schema, references by name. */
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import type { FieldErrors } from '../errors.ts'
import { unguarded } from '../export/columns.ts'
import { bare, isPicker, metaOf, type RecordTable, refersTo } from '../export/record-columns.ts'
import { idsOf, kindKey, type NamedKind, SEVERAL } from '../records/naming.ts'
import { isJson } from '../records/view.ts'
import { kindOf } from '../values/fields.ts'
import { withoutDefault } from '../values/schema-definition.ts'
import { humanised, words } from '../values/words.ts'
import { isoDay, type Notation, PLAIN, plainNumber } from './notation.ts'
import { titleKey } from './table.ts'

/** Field of a record to which a column can be mapped. */
export interface ImportField {
  field: string
  title: string
  /** Required for a new record. */
  required: boolean
  schema: z.core.$ZodType
}

type Shape = Record<string, z.core.$ZodType>

/** Returns the fields of the bodies that create and change a record; `table` has the titles of its export. */
export function importFields(table: RecordTable, body: z.ZodObject, changes: z.ZodObject | undefined): ImportField[] {
  const shape: Shape = { ...(changes?.shape as Shape | undefined), ...(body.shape as Shape) }
  const titles = new Map(table.columns.map(({ key, title }) => [key, title]))
  return Object.entries(shape).map(([field, schema]) => ({
    ...{ field, schema, title: titles.get(field) ?? humanised(field.replace(/(?<=.)_ids?$/, '')) },
    required: field in body.shape && !z.safeParse(schema, undefined).success,
  }))
}

type Titled = Pick<ImportField, 'field' | 'title'>
const MEANINGS = [
  ({ title }: Titled) => title,
  ({ field }: Titled) => field,
  ({ field }: Titled) => field.replace(/_ids?$/, ''),
  ({ field }: Titled) => humanised(field),
]

/** Returns the keys of all titles that columns of these fields may have. */
export const titleKeys = (fields: Titled[]): string[] => [
  ...new Set(MEANINGS.flatMap((meaning) => fields.map((field) => titleKey(meaning(field))))),
]

/** Maps fields to columns by their headers: the title in an export, the field's name, or its label in a form. */
export function suggestedMapping(fields: ImportField[], headers: string[]): Record<string, string> {
  // Titles of instant columns end with the timezone.
  const free = new Map(headers.map((header) => [header, titleKey(unguarded(header).replace(/ \([\w/+-]+\)$/, ''))]))
  const mapping: Record<string, string> = {}
  for (const meaning of MEANINGS)
    for (const one of fields) {
      if (mapping[one.field]) continue
      const found = [...free].find(([, header]) => header === titleKey(meaning(one)))
      if (!found) continue
      mapping[one.field] = found[0]
      free.delete(found[0])
    }
  return mapping
}

/** A name in place of an id. */
interface Mention {
  kind: NamedKind
  text: string
}

/** Resolves a name in a cell to an id. */
type Ask = (mention: Mention) => unknown

class Unreadable extends Error {}

/** Settings for parsing the texts of cells. */
interface Reading {
  timezone: string
  notation: Notation
}

/** Parses a cell's text, without its guard against formulas, as a field's value. Throws Unreadable. */
function fieldValue(schema: z.core.$ZodType, text: string, reading: Reading, ask: Ask): unknown {
  const type = refersTo(schema)
  const plain = text.trim()
  if (type) return ask({ kind: { type, picker: isPicker(schema) }, text: plain })
  if (kindOf(schema).clock) return plain.replace(/^\d:/, '0$&') // 9:00
  const inner = bare(schema)
  if (inner instanceof z.ZodArray && !plain.startsWith('[')) {
    const element = inner.element as z.core.$ZodType
    if (isJson(bare(element))) throw new Unreadable('Must be a list as JSON: [{…}, {…}].')
    const parts = plain.split(',').flatMap((part) => part.trim() || [])
    return parts.map((part) => fieldValue(element, part, reading, ask))
  }
  if (isJson(inner) && /^[[{]/.test(plain)) return mentioned(schema, jsonOf(plain), ask)
  if (inner instanceof z.ZodNumber) {
    const written = isPercentage(schema, inner) ? plain.replace(/\s?%$/, '') : plain
    const number = plainNumber(written, reading.notation)
    return number === undefined ? plain : Number(number)
  }
  if (inner instanceof z.ZodBoolean) return FLAGS.get(plain.toLowerCase()) ?? plain
  const { day_order } = reading.notation
  if (inner instanceof z.ZodISODate) return isoDay(plain, day_order).replace(/[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$/, '')
  if (inner instanceof z.ZodISODateTime) return instantOf(isoDay(plain, day_order), reading.timezone)
  if (inner instanceof z.ZodEnum)
    return inner.options.find((option) => String(option).toLowerCase() === plain.toLowerCase()) ?? plain
  return text
}

/** Whether a number is a percentage: 19 may be written as `19 %`, as spreadsheets show a rate. */
const isPercentage = (schema: z.core.$ZodType, inner: z.ZodNumber) =>
  metaOf(schema, 'format') === 'percentage' || (metaOf(schema, 'maximum') ?? inner.maxValue) === 100

const FLAGS = new Map([
  ...['true', 'yes', '1'].map((word) => [word, true] as const),
  ...['false', 'no', '0'].map((word) => [word, false] as const),
])

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Unreadable('Is no sound JSON.')
  }
}

/** An instant without an offset is in the workspace's timezone. */
function instantOf(text: string, timezone: string) {
  try {
    return Temporal.PlainDateTime.from(text.replace(' ', 'T')).toZonedDateTime(timezone).toInstant().toString()
  } catch {
    return text
  }
}

/** Resolves the names in JSON from an export, at any depth of the schema. */
function mentioned(schema: z.core.$ZodType, value: unknown, ask: Ask): unknown {
  const type = refersTo(schema)
  if (type) {
    const kind = { type, picker: isPicker(schema) }
    return typeof value === 'string' || typeof value === 'number' ? ask({ kind, text: String(value).trim() }) : value
  }
  const inner = bare(schema)
  if (inner instanceof z.ZodArray && Array.isArray(value))
    return value.map((one) => mentioned(inner.element as z.core.$ZodType, one, ask))
  if (inner instanceof z.ZodObject && typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        Object.hasOwn(inner.shape, name) ? mentioned(inner.shape[name]!, one, ask) : one,
      ]),
    )
  return value
}

/** Cells of a row by field. */
export interface Cells {
  texts: Record<string, string>
  /** Fields whose cell is stored as a number. */
  numeric: ReadonlySet<string>
}

/**
 * A row as request bodies: one to create the record, and one to change it, in which an empty cell empties the field. `errors` has
 * the cells that can't be parsed.
 */
export interface Said {
  made: Record<string, unknown>
  changed: Record<string, unknown>
  errors?: FieldErrors
}

/** Parses rows. The names in all rows are resolved together, with one query per kind of record. */
export async function readRows(ctx: Ctx, fields: ImportField[], rows: Cells[], notation: Notation): Promise<Said[]> {
  const { timezone } = ctx.tenant
  const [texts, numbers] = [
    { timezone, notation },
    { timezone, notation: PLAIN },
  ]
  const readingOf = ({ numeric }: Cells, field: string) => (numeric.has(field) ? numbers : texts)
  const asked = new Map<string, { kind: NamedKind; texts: string[] }>()
  const note: Ask = ({ kind, text }) =>
    void asked.getOrInsertComputed(kindKey(kind), () => ({ kind, texts: [] })).texts.push(text)
  for (const cells of rows)
    for (const { field, schema } of fields) {
      const cell = cells.texts[field]
      if (!cell?.trim()) continue
      try {
        fieldValue(schema, unguarded(cell), readingOf(cells, field), note)
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error // reported below
      }
    }
  const kinds = [...asked]
  const found = await Promise.all(kinds.map(([, { kind, texts }]) => idsOf(ctx, kind.type, texts, kind)))
  const ids = new Map(kinds.map(([key], n) => [key, found[n]!]))
  const look: Ask = ({ kind: named, text }) => {
    const id = ids.get(kindKey(named))!.get(text)
    const kind = words(named.type)
    if (id === SEVERAL)
      throw new Unreadable(
        `Names several: more than one ${kind} is called ${brief(text)}. Give its external id, or # and its id.`,
      )
    if (id === undefined && /^\d{1,15}$/.test(text))
      throw new Unreadable(`No ${kind} is called ${text}, here or by another system. If that is its id, write #${text}.`)
    if (id === undefined) throw new Unreadable(`There is no such ${kind} in this workspace that you may use: ${brief(text)}.`)
    return id
  }
  return rows.map((cells) => said(fields, cells, (field) => readingOf(cells, field), look))
}

const brief = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

function said(fields: ImportField[], { texts }: Cells, readingOf: (field: string) => Reading, look: Ask): Said {
  const made: Record<string, unknown> = {}
  const changed: Record<string, unknown> = {}
  const errors: FieldErrors = {}
  for (const { field, schema } of fields) {
    const cell = texts[field]
    if (cell === undefined) continue
    if (!cell.trim()) {
      const empty = emptyOf(schema)
      if (empty !== undefined) changed[field] = empty
      continue
    }
    try {
      made[field] = changed[field] = fieldValue(schema, unguarded(cell), readingOf(field), look)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      errors[field] = [error.message]
    }
  }
  return { made, changed, ...(Object.keys(errors).length ? { errors } : {}) }
}

/** Returns the value of an emptied field: null or an empty list; undefined if it can't be empty. */
function emptyOf(schema: z.core.$ZodType): null | [] | undefined {
  const inner = withoutDefault(schema)
  if (z.safeParse(inner, null).success) return null
  return bare(inner) instanceof z.ZodArray && z.safeParse(inner, []).success ? [] : undefined
}
