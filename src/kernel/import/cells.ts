/** What the cells of a row say of a record: the reverse of an export. Each field of a body is read by its own schema, references by name. */
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import type { FieldErrors } from '../errors.ts'
import { unguarded } from '../export/columns.ts'
import { bare, isPicker, type RecordTable, refersTo } from '../export/record-columns.ts'
import { idsOf, kindKey, type NamedKind, SEVERAL } from '../records/naming.ts'
import { isJson } from '../records/view.ts'
import { kindOf } from '../values/fields.ts'
import { withoutDefault } from '../values/schema-definition.ts'
import { humanised, words } from '../values/words.ts'
import { dayWritten } from './written.ts'

/** A field of a record that a column may be. */
export interface ImportField {
  field: string
  title: string
  /** A new record needs it. */
  required: boolean
  schema: z.core.$ZodType
}

type Shape = Record<string, z.core.$ZodType>

/** The fields of what makes a record, and of what changes one; `table` has the titles of its export. */
export function importFields(table: RecordTable, body: z.ZodObject, changes: z.ZodObject | undefined): ImportField[] {
  const shape: Shape = { ...(changes?.shape as Shape | undefined), ...(body.shape as Shape) }
  const titles = new Map(table.columns.map(({ key, title }) => [key, title]))
  return Object.entries(shape).map(([field, schema]) => ({
    ...{ field, schema, title: titles.get(field) ?? humanised(field.replace(/(?<=.)_ids?$/, '')) },
    required: field in body.shape && !z.safeParse(schema, undefined).success,
  }))
}

const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** The fields whose columns can be told by their headers: by the title in an export, the field's name, or what a form would call it. */
export function suggestedMapping(fields: ImportField[], headers: string[]): Record<string, string> {
  // The time zone stands behind the title of a column of instants.
  const free = new Map(headers.map((header) => [header, letters(unguarded(header).replace(/ \([\w/+-]+\)$/, ''))]))
  const mapping: Record<string, string> = {}
  const meanings = [
    ({ title }: ImportField) => title,
    ({ field }: ImportField) => field,
    ({ field }: ImportField) => field.replace(/_ids?$/, ''),
    ({ field }: ImportField) => humanised(field),
  ]
  for (const meaning of meanings)
    for (const one of fields) {
      if (mapping[one.field]) continue
      const found = [...free].find(([, header]) => header === letters(meaning(one)))
      if (!found) continue
      mapping[one.field] = found[0]
      free.delete(found[0])
    }
  return mapping
}

/** A text where an id belongs. */
interface Mention {
  kind: NamedKind
  text: string
}

/** What a cell holds; what it mentions by name is told to `ask`, which gives the id. */
type Ask = (mention: Mention) => unknown

class Unreadable extends Error {}

/** What a cell's text, without its guard, says in a field. Throws Unreadable. */
function told(schema: z.core.$ZodType, text: string, timezone: string, ask: Ask): unknown {
  const type = refersTo(schema)
  const plain = text.trim()
  if (type) return ask({ kind: { type, picker: isPicker(schema) }, text: plain })
  if (kindOf(schema).clock) return plain.replace(/^\d:/, '0$&') // 9:00
  const inner = bare(schema)
  if (inner instanceof z.ZodArray && !plain.startsWith('[')) {
    const element = inner.element as z.core.$ZodType
    if (isJson(bare(element))) throw new Unreadable('Must be a list as JSON: [{…}, {…}].')
    const parts = plain.split(',').flatMap((part) => part.trim() || [])
    return parts.map((part) => told(element, part, timezone, ask))
  }
  if (isJson(inner) && /^[[{]/.test(plain)) return mentioned(schema, jsonOf(plain), ask)
  if (inner instanceof z.ZodNumber) return /^[+-]?\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,3})?$/i.test(plain) ? Number(plain) : plain
  if (inner instanceof z.ZodBoolean) return FLAGS.get(plain.toLowerCase()) ?? plain
  if (inner instanceof z.ZodISODate) return dayWritten(plain).replace(/[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$/, '')
  if (inner instanceof z.ZodISODateTime) return instantOf(dayWritten(plain), timezone)
  if (inner instanceof z.ZodEnum)
    return inner.options.find((option) => String(option).toLowerCase() === plain.toLowerCase()) ?? plain
  return text
}

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

/** An instant that says nothing of its offset is one of the workspace's clock. */
function instantOf(text: string, timezone: string) {
  try {
    return Temporal.PlainDateTime.from(text.replace(' ', 'T')).toZonedDateTime(timezone).toInstant().toString()
  } catch {
    return text
  }
}

/** JSON as an export has it: references by name, as deep as the schema goes. */
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

/** A row's cells by field. */
export type Cells = Record<string, string>

/** What a row says of a record: what is sent to make it, and what to change it, where an empty cell empties the field. `errors`: of cells that can't be read. */
export interface Said {
  made: Record<string, unknown>
  changed: Record<string, unknown>
  errors?: FieldErrors
}

/** Reads rows by their cells: what they mention is looked up at once for all of them, one query for each kind of record. */
export async function readRows(ctx: Ctx, fields: ImportField[], rows: Cells[]): Promise<Said[]> {
  const { timezone } = ctx.tenant
  const asked = new Map<string, { kind: NamedKind; texts: string[] }>()
  const note: Ask = ({ kind, text }) =>
    void asked.getOrInsertComputed(kindKey(kind), () => ({ kind, texts: [] })).texts.push(text)
  for (const cells of rows)
    for (const { field, schema } of fields) {
      const cell = cells[field]
      if (!cell?.trim()) continue
      try {
        told(schema, unguarded(cell), timezone, note)
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error // told below
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
  return rows.map((cells) => said(fields, cells, timezone, look))
}

const brief = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

function said(fields: ImportField[], cells: Cells, timezone: string, look: Ask): Said {
  const made: Record<string, unknown> = {}
  const changed: Record<string, unknown> = {}
  const errors: FieldErrors = {}
  for (const { field, schema } of fields) {
    const cell = cells[field]
    if (cell === undefined) continue
    if (!cell.trim()) {
      const empty = emptyOf(schema)
      if (empty !== undefined) changed[field] = empty
      continue
    }
    try {
      made[field] = changed[field] = told(schema, unguarded(cell), timezone, look)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      errors[field] = [error.message]
    }
  }
  return { made, changed, ...(Object.keys(errors).length ? { errors } : {}) }
}

/** What a field that is emptied holds: nothing, or no entries; undefined where it can't be. */
function emptyOf(schema: z.core.$ZodType): null | [] | undefined {
  const inner = withoutDefault(schema)
  if (z.safeParse(inner, null).success) return null
  return bare(inner) instanceof z.ZodArray && z.safeParse(inner, []).success ? [] : undefined
}
