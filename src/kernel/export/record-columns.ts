/**
 * Records as rows of a table: columns derived from the list view, the detail view and the request body, and the values of their
 * cells. An import parses the same columns.
 */
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { inSlices } from '../loop-slices.ts'
import { kindKey, type NamedKind, namesOf } from '../records/naming.ts'
import type { Resource } from '../records/resource.ts'
import { embedOf, isJson, refersToOf, type View } from '../records/view.ts'
import { kindOf } from '../values/fields.ts'
import { definitionOf } from '../values/schema-definition.ts'
import { humanised, singular } from '../values/words.ts'
import type { Column, Format } from './columns.ts'

/** A column derived from a record's views. */
export interface RecordColumn {
  /** Field of the request body, if there is one; otherwise the field of the view. */
  key: string
  title: string
  /** `json`: a list or an object, as JSON with references by name. */
  format: Format | 'json'
  /** Record type that its id refers to. */
  refersTo?: string
  /** Shows the record's name without the permission to view it. */
  picker?: boolean
  /** The value is a list of ids. */
  many?: true
  /** Returns the value in a row of the view, with references by id. */
  value(row: Record<string, any>): unknown
}

/** Columns of a kind of record, and the view that reads them. */
export interface RecordTable {
  columns: RecordColumn[]
  /** View with which the records are read. */
  view: View
}

/** Returns a schema without its wrappers: nullable, optional, default, input transformation. */
export function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType, in: before } = definitionOf(schema)
  if (innerType) return bare(innerType)
  return before && !(schema instanceof z.ZodObject) ? bare(before) : schema
}

/** Returns a property of a field's metadata, from any of its wrappers. */
export const metaOf = (schema: z.core.$ZodType, key: string): unknown => {
  for (let one: z.core.$ZodType | undefined = schema; one; one = definitionOf(one).innerType ?? definitionOf(one).in) {
    const found = z.globalRegistry.get(one)?.[key]
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the record type that a field of a body refers to. */
export const refersTo = (schema: z.core.$ZodType) =>
  kindOf(schema).refers ?? (metaOf(schema, 'x-refers-to') as string | undefined)

/** Whether a reference field is a picker. */
export const isPicker = (schema: z.core.$ZodType) => kindOf(schema).picker ?? metaOf(schema, 'x-picker') === true

/** Whether a field refers to records of a type, at any depth. */
export function refersToAny(schema: z.core.$ZodType, type: string): boolean {
  if (refersTo(schema) === type) return true
  const inner = bare(schema)
  if (inner instanceof z.ZodArray) return refersToAny(inner.element as z.core.$ZodType, type)
  return inner instanceof z.ZodObject && Object.values(inner.shape).some((one) => refersToAny(one as z.core.$ZodType, type))
}

function columnFormatOf(schema: z.core.$ZodType): Format {
  const { exact, instant } = kindOf(schema)
  if (exact) return metaOf(schema, 'format') === 'money' ? 'money' : 'number'
  if (instant) return 'instant'
  const inner = bare(schema)
  if (inner instanceof z.ZodNumber) return 'number'
  return inner instanceof z.ZodISODate ? 'date' : 'text'
}

const titleOf = (key: string) => humanised(key.replace(/(?<=.)_ids?$/, ''))
const many = (refers: string, picker: boolean, key: string, field: string): RecordColumn => ({
  key,
  title: humanised(field),
  format: 'text',
  refersTo: refers,
  picker,
  many: true,
  value: (row) => row[field]?.map(({ id }: { id: number }) => id),
})

/** Returns the columns of a record's table; `body` is its request body. */
export function recordTable({ item, detail }: Pick<Resource, 'item' | 'detail'>, body: z.ZodObject): RecordTable {
  const columns: RecordColumn[] = []
  const read: Record<string, z.core.$ZodType> = {}
  const sent = body.shape as Record<string, z.core.$ZodType>

  /** References that a client sends as `member_ids` are shown as `members`. */
  const idsField = (name: string) => {
    const key = `${singular(name)}_ids`
    const element = sent[key] && bare(sent[key])
    if (!(element instanceof z.ZodArray)) return undefined
    const named = element.element as z.core.$ZodType
    const refers = refersTo(named)
    return refers ? { key, refers, picker: isPicker(named) } : undefined
  }

  function columnOf(shown: View, name: string, schema: z.core.$ZodType): RecordColumn | undefined {
    const { absent } = kindOf(schema)
    const plain = { key: name, title: titleOf(name), value: (row: Record<string, any>) => row[name] ?? absent }
    const embed = embedOf(schema)
    const ids = idsField(name)
    if (ids) return many(ids.refers, ids.picker, ids.key, name)
    const isSentAsJson = sent[name] && isJson(bare(sent[name]))
    if (embed?.refersTo) {
      const isBeside = shown.shape[embed.columns[0]!] !== undefined
      const named = { refersTo: embed.refersTo, picker: embed.picker }
      return isBeside ? undefined : { ...plain, ...named, format: 'number', value: (row) => row[name]?.id }
    }
    if (isJson(schema)) return isSentAsJson || !embed ? { ...plain, format: 'json' } : undefined
    const refers = embed ? undefined : refersToOf(shown, name)
    return { ...plain, format: columnFormatOf(schema), ...(refers ? { refersTo: refers, picker: isPicker(schema) } : {}) }
  }

  function add(shown: View, name: string) {
    const schema = shown.shape[name] as z.core.$ZodType
    const column = columnOf(shown, name, schema)
    if (!column) return
    const isTaken = columns.some(({ title }) => title === column.title)
    columns.push(isTaken ? { ...column, title: column.key } : column)
    read[name] = schema
  }

  for (const name of Object.keys(item.shape)) add(item, name)
  for (const name of Object.keys(detail.shape)) if (!(name in item.shape) && (name in sent || idsField(name))) add(detail, name)
  return { columns, view: z.object(read) as View }
}

type Cells = Record<string, string | number | null>
/** By the keys of `kindKey`. */
type Names = Map<string, Map<number, string>>

/**
 * Returns the rows of a batch as cells, with references by name, resolved with one query per kind. `body` determines which fields
 * of lists are written.
 */
export async function cellsOf(
  ctx: Ctx,
  columns: RecordColumn[],
  body: z.ZodObject,
  rows: Record<string, unknown>[],
): Promise<Cells[]> {
  const asked = new Map<string, { kind: NamedKind; ids: number[] }>()
  const ask = (kind: NamedKind, id: unknown) => {
    if (typeof id === 'number') asked.getOrInsertComputed(kindKey(kind), () => ({ kind, ids: [] })).ids.push(id)
  }
  await inSlices(ctx.tenant.id, rows, (row) => {
    for (const { value, refersTo: type, picker, format, key } of columns) {
      const one = value(row)
      if (format === 'json' && body.shape[key]) written(body.shape[key], one, ask)
      else if (type) for (const id of Array.isArray(one) ? one : [one]) ask({ type, picker }, id)
    }
  })
  const kinds = [...asked]
  const found = await Promise.all(kinds.map(([, { kind, ids }]) => namesOf(ctx, kind.type, ids, kind)))
  const names: Names = new Map(kinds.map(([key], n) => [key, found[n]!]))
  return inSlices(ctx.tenant.id, rows, (row) =>
    Object.fromEntries(columns.map((column) => [column.key, cellOf(column, body, row, names)])),
  )
}

function cellOf(column: RecordColumn, body: z.ZodObject, row: Record<string, unknown>, names: Names): string | number | null {
  const { key, format, refersTo: type, picker, many, value } = column
  const one = value(row)
  if (one === null || one === undefined) return null
  const named = (kind: NamedKind, id: unknown) => names.get(kindKey(kind))?.get(id as number) ?? (id as string)
  if (format === 'json') {
    const shown = body.shape[key] ? written(body.shape[key], one, named) : one
    return Array.isArray(shown) && !shown.length ? null : JSON.stringify(shown)
  }
  if (!type) return one as string | number
  const kind = { type, picker }
  if (!many) return named(kind, one)
  const all = (one as number[]).map((id) => String(named(kind, id)))
  return all.some((name) => name.includes(',') || name.startsWith('[')) ? JSON.stringify(all) : all.join(', ')
}

/** Returns the request body for a shown value: only fields that a client may send, with references replaced by `named`. */
function written(schema: z.core.$ZodType, value: unknown, named: (kind: NamedKind, id: unknown) => unknown): unknown {
  if (value === null || value === undefined) return undefined
  const type = refersTo(schema)
  const inner = bare(schema)
  if (inner instanceof z.ZodArray && Array.isArray(value))
    return value.map((one) => written(inner.element as z.core.$ZodType, one, named))
  if (inner instanceof z.ZodObject && typeof value === 'object') {
    const fields = Object.entries(inner.shape).map(
      ([name, one]) => [name, written(one as z.core.$ZodType, (value as Record<string, unknown>)[name], named)] as const,
    )
    return Object.fromEntries(fields.filter(([, one]) => one !== undefined))
  }
  return type ? named({ type, picker: isPicker(schema) }, value) : value
}

/** Returns the file columns of rows that consist of cells. */
export const fileColumns = (columns: RecordColumn[]): Column<Cells>[] =>
  columns.map(({ key, title, format, refersTo }) => ({ key, title, format: format === 'json' || refersTo ? 'text' : format }))

/** Returns the request body that would restore these fields as they are shown; fields that no view has are missing. */
export function shownAsSent(
  columns: RecordColumn[],
  body: z.ZodObject,
  row: Record<string, any>,
  names: string[],
): Record<string, unknown> {
  const fields = columns.flatMap(({ key, format, value }) => {
    if (!names.includes(key)) return []
    const shown = value(row) ?? null
    const isList = format === 'json' && body.shape[key]
    return [[key, isList ? (written(body.shape[key], shown, (_, id) => id) ?? null) : shown] as const]
  })
  return Object.fromEntries(fields)
}
