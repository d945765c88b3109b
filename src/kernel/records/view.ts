/**
 * A view: which columns and references of a table a reply shows. From its fields come the reply's schema and the SELECT that reads
 * exactly these, as JSON made by the database; what a view doesn't name is neither read nor sent.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { z } from 'zod'
import type { BaseCtx, Ctx } from '../context.ts'
import { allPipelined, fixed } from '../database/connect.ts'
import type { DB, Json } from '../database/tables.ts'
import { notFound } from '../errors.ts'
import { askMachines } from '../tenancy/machines.ts'
import { kindOf, referenceMeta } from '../values/fields.ts'
import { definitionOf } from '../values/schema-definition.ts'
import { singular } from '../values/words.ts'

/** Tables of a workspace. */
export type TableName = { [T in keyof DB]: T }[keyof DB]

/** The row that a reference is asked for: the table's name stands for it. */
export interface At<C extends BaseCtx = Ctx> {
  ctx: C
  table: string
  /** The field's own name, which may serve as an alias. */
  as: string
}

/** A field that is no column: how it is read beside the row. */
export interface Embed<Column extends string = string, C extends BaseCtx = any> {
  /** The columns of the row that it looks at. */
  columns: readonly Column[]
  /** What the first of these columns refers to, by its `x-resource`: `vendor`. */
  refersTo?: string
  /** It names the record to who may not view it (`ReferenceOptions`). */
  picker?: boolean
  /** A JSON expression. */
  value(at: At<C>): RawBuilder<unknown>
  /** A LEFT JOIN that the value needs; a list joins its page of rows with it. */
  join?(at: At<C>): RawBuilder<unknown>
  /** On a cluster, instead of the value: of these workspaces, by their ids, where it is made of their rows, which lie on several machines. */
  gather?(ctx: C, ids: number[]): Promise<(id: number) => unknown>
  /** What is left to do once the value is read, which may make a `JsonText` of it; `of` is the resource, where the table has one. */
  finish?(value: any, ctx: C, of: HasActivities | undefined): unknown
}

/** Types of timeline entry and the sentence each reads as, from its properties. */
export type ActivityTemplates = Record<string, (properties: any) => string>

export interface HasActivities<S extends ActivityTemplates = any> {
  activityTemplates: S
}

/** How many entries of a list that grows (notes, timeline, histories) stand in a detail view; a paged route has them all. */
export const MAX_EMBEDDED = 100

/** What is said of a field by `.describe()` and `.meta()` makes another schema of it, which a registry knows to be the same field. */
const embeds = z.registry<{ embed: unknown }>()
/** How a field is read that is no column. */
export const embedOf = (schema: z.core.$ZodType) => embeds.get(schema)?.embed as Embed | undefined

/** A field of a view that is read by `embed` and has this schema. */
export type Embedded<S extends z.core.$ZodType, Column extends string> = S & { readonly embedded?: Column }

export const embedded = <S extends z.core.$ZodType, const Column extends string, C extends BaseCtx = Ctx>(
  schema: S,
  embed: Embed<Column, C>,
): Embedded<S, Column> => {
  embeds.add(schema, { embed })
  return schema as Embedded<S, Column>
}

/** A field that the database computes from the row at hand. */
export const computed = <S extends z.core.$ZodType, const Column extends string = never>(
  schema: S,
  value: (at: At<any>) => RawBuilder<unknown>,
  columns: readonly Column[] = [],
) => embedded(schema, { columns, value })

type Shape = Record<string, z.core.$ZodType>

/** Fields are columns of the table whose type fits, or embeds over its columns; anything else doesn't compile. */
export type Fields<T extends TableName, F> = {
  [K in keyof F]: F[K] extends { readonly embedded?: infer Column }
    ? unknown extends Column
      ? Plain<T, K, F[K]>
      : [Column] extends [keyof DB[T] | undefined]
        ? F[K]
        : `${Column & string} is not a column of ${T}`
    : Plain<T, K, F[K]>
}
type Plain<T extends TableName, K, S> = K extends keyof RowOf<T>
  ? [Json] extends [RowOf<T>[K]]
    ? S // what JSON holds is the schema's to say
    : RowOf<T>[K] extends z.input<S>
      ? S
      : `the column ${K & string} does not fit this schema`
  : `${K & string} is not a column of ${T}`

type RowOf<T extends TableName> = Selectable<DB[T]>

export type View<T extends TableName = any, F extends Shape = any> = z.ZodObject<F> & { readonly of?: T }

/** The columns of a view's table. */
export type ColumnOf<V> = V extends { readonly of?: infer T } ? (T extends TableName ? keyof DB[T] & string : string) : string

/** What a reply shows of a table; `name` is the schema's name in the API documents. */
export const view = <const T extends TableName, F extends Shape>(_table: T, name: string, fields: F & Fields<T, F>): View<T, F> =>
  z.object(withReferences(fields) as F).meta({ id: name }) as View<T, F>

/** A view with further fields: the detail of what a list shows. */
export const extended = <T extends TableName, F extends Shape, G extends Shape>(
  base: View<T, F>,
  name: string,
  fields: G & Fields<T, G>,
): View<T, F & G> => z.object(withReferences({ ...base.shape, ...(fields as G) })).meta({ id: name }) as never

/** Beside an embedded reference (`vendor`), the column that it looks at (`vendor_id`) says what it refers to. */
function withReferences(fields: Shape): Shape {
  const shape = { ...fields }
  for (const field of Object.values(fields)) {
    const { refersTo, picker, columns: [column = ''] = [] } = embedOf(field) ?? {}
    const schema = shape[column]
    if (refersTo && schema)
      shape[column] = (schema as z.ZodType).meta({ ...z.globalRegistry.get(schema), ...referenceMeta(refersTo, { picker }) })
  }
  return shape
}

/** The kind of record that a column of a view refers to, as far as the view says. */
export function refersToOf(view: View, column: string): string | undefined {
  for (let field: z.core.$ZodType | undefined = (view.shape as Shape)[column]; field; field = definitionOf(field).innerType) {
    const refersTo = z.globalRegistry.get(field)?.['x-refers-to']
    if (refersTo) return refersTo as string
  }
  return undefined
}

/** Says of a view which kind of record it shows and by which field people know it. */
export const describeRecord = (view: View, { table, title }: { table: string; title: string }) =>
  view.register(z.globalRegistry, { ...view.meta(), 'x-resource': singular(table), 'x-title-field': title })

/** Whether a reply shows a record: its revision makes the ETag then. */
export const isRecord = (schema: z.core.$ZodType | undefined) =>
  schema !== undefined && z.globalRegistry.get(schema)?.['x-resource'] !== undefined

type Field = { name: string; embed: Embed } | { columns: RawBuilder<unknown> }

const fields = new WeakMap<View, Map<string, Field[]>>()

/** The fields of a view of rows that are in scope as `table`, in their order: columns that follow each other are one. */
const fieldsOf = (view: View, table: string): Field[] =>
  fields
    .getOrInsertComputed(view, () => new Map())
    .getOrInsertComputed(table, () => {
      const all: Field[] = []
      let columns: RawBuilder<unknown>[] = []
      const gather = () => {
        if (columns.length) all.push({ columns: fixed(sql.join(columns)) })
        columns = []
      }
      for (const [name, schema] of Object.entries(view.shape as Shape)) {
        const embed = embedOf(schema)
        if (embed) {
          gather()
          all.push({ name, embed })
          continue
        }
        const { exact, instant } = kindOf(schema)
        const column = sql.ref(`${table}.${name}`)
        columns.push(sql`${instant ? sql`app.iso(${column})` : exact ? sql`trim_scale(${column})` : column} as ${sql.id(name)}`)
      }
      gather()
      return all
    })

/** The view's numeric columns: '5' and '5.000000' are the same there, and nowhere else. */
export const exactColumns = (view: View) =>
  Object.entries(view.shape as Shape).flatMap(([name, schema]) => (!embedOf(schema) && kindOf(schema).exact ? [name] : []))

const JSON_TYPES = new Set(['array', 'object', 'record', 'tuple', 'union', 'unknown', 'any'])

/** The view's scalar columns: what a list may be sorted by. */
export const scalarColumns = (view: View) =>
  Object.entries(view.shape as Shape).flatMap(([name, schema]) => (embedOf(schema) || isJson(schema) ? [] : [name]))

/** Whether a field is a list or an object. */
export function isJson(schema: z.core.$ZodType): boolean {
  const { type, innerType } = definitionOf(schema)
  return innerType ? isJson(innerType) : JSON_TYPES.has(type)
}

/** The parts of a SELECT that reads a view of rows that are in scope as `table`. */
export interface Selection {
  /** `app.iso(vendors.created_at) as created_at, …`: what the database writes into the JSON. */
  columns: RawBuilder<unknown>
  joins: RawBuilder<unknown>
  /** Fields that are read apart, because something is left to do with them. */
  unfinished: { name: string; value: RawBuilder<unknown>; finish: NonNullable<Embed['finish']> }[]
  /** Fields that are read afterwards, of all rows at once. */
  gathered: { name: string; gather: NonNullable<Embed['gather']> }[]
}

export function selectionOf(ctx: BaseCtx, view: View, table: string): Selection {
  const columns: RawBuilder<unknown>[] = []
  const joins: RawBuilder<unknown>[] = []
  const unfinished: Selection['unfinished'] = []
  const gathered: Selection['gathered'] = []
  for (const field of fieldsOf(view, table)) {
    if (!('embed' in field)) {
      columns.push(field.columns)
      continue
    }
    const { name, embed } = field
    if (embed.gather && isOverShards(ctx)) {
      gathered.push({ name, gather: embed.gather })
      continue
    }
    const at = { ctx: ctx as Ctx, table, as: name }
    if (embed.join) joins.push(embed.join(at))
    const value = embed.value(at)
    if (embed.finish) unfinished.push({ name, value, finish: embed.finish })
    else columns.push(sql`${value} as ${sql.id(name)}`)
  }
  return { columns: sql.join(columns), joins: sql.join(joins, sql` `), unfinished, gathered }
}

/** The fields that are read afterwards, of a workspace by its id. */
export async function gather(ctx: BaseCtx, gathered: Selection['gathered'], ids: number[]) {
  const found = await Promise.all(gathered.map(async ({ name, gather }) => [name, await gather(ctx, ids)] as const))
  return (id: number) => Object.fromEntries(found.map(([name, of]) => [name, of(id)]))
}

/** The fields that are read afterwards, as far as machines can be reached: of the workspaces of others, which are `missing`, they are null. */
export async function gatherReachable(ctx: BaseCtx, gathered: Selection['gathered'], ids: number[]) {
  const { answers, missing } = await askMachines(ctx, ids, async (some) => ({ some, of: await gather(ctx, gathered, some) }))
  const known = new Map(answers.flatMap(({ some, of }) => some.map((id) => [id, of(id)] as const)))
  const unknown = Object.fromEntries(gathered.map(({ name }) => [name, null]))
  return { of: (id: number) => known.get(id) ?? unknown, missing }
}

/** A field made of a column by code: a link from a file's key. */
export const derived = <S extends z.core.$ZodType, const Column extends string, C extends BaseCtx = Ctx>(
  schema: S,
  column: Column,
  make: (value: any, ctx: C) => z.input<S>,
) => embedded<S, Column, C>(schema, { columns: [column], value: ({ table }) => sql.ref(`${table}.${column}`), finish: make })

/** Whether a query is about rows on several machines of a cluster: then its JSON is made of what was found, not beside it. */
export const isOverShards = (ctx: BaseCtx) => ctx.services.database.isCluster && !('tenant' in ctx)

interface One {
  /** 404 says that there is no such one. */
  noun: string
  /** Its revision makes the ETag. */
  revised?: true
  of?: HasActivities
}

/** The one row of a table that meets the conditions, by a view; 404 when there is none. What is left to finish stands behind the rest. */
export async function readOne(
  ctx: BaseCtx,
  view: View,
  table: string,
  conditions: RawBuilder<unknown>,
  one: One,
): Promise<JsonText> {
  const { columns, joins, unfinished, gathered } = selectionOf(ctx, view, table)
  const apart = unfinished.map(({ name, value }) => sql`, ${value} as ${sql.id(name)}`)
  const revision = one.revised
    ? sql`, ${sql.ref(`${table}.id`)} as etag_id, ${sql.ref(`${table}.revision`)} as etag_revision`
    : sql``
  const from = sql`from ${sql.table(table)} ${joins} where ${conditions}`
  const beside = sql`${revision} ${sql.join(apart, sql``)}`
  type Read = { json: string; etag_id: number; etag_revision: number } & Record<string, unknown>
  const read = async (selected: RawBuilder<unknown>) => (await sql<Read>`select ${selected}`.execute(ctx.tx)).rows[0]
  const row = isOverShards(ctx)
    ? // OFFSET keeps the row in one piece, with the names of its columns.
      await allPipelined(
        read(sql`row_to_json(shown)::text as json from (select ${columns} ${from} offset 0) shown`),
        read(sql`1 ${beside} ${from}`),
      ).then(([shown, more]) => shown && { ...more, ...shown })
    : await read(sql`(select row_to_json(shown)::text from (select ${columns}) shown) as json ${beside} ${from}`)
  if (!row) throw notFound(`There is no such ${one.noun}.`)
  const finished = unfinished.map(({ name, finish }) => `,${JSON.stringify(name)}:${textOf(finish(row[name], ctx, one.of))}`)
  if (gathered.length) {
    const { id } = JSON.parse(row.json) as { id: number }
    for (const [name, value] of Object.entries((await gather(ctx, gathered, [id]))(id)))
      finished.push(`,${JSON.stringify(name)}:${JSON.stringify(value)}`)
  }
  const etag = one.revised && etagOf({ id: row.etag_id, revision: row.etag_revision })
  return new JsonText(`${row.json.slice(0, -1)}${finished.join('')}}`, etag)
}

/** The JSON of a value that is finished, which may be a text already. */
const textOf = (value: unknown) => (value instanceof JsonText ? value.text : JSON.stringify(value))

/**
 * Rows of a workspace's table by a view, by their ids, whatever has become of them: for code that prints or copies what the actor was found to
 * see. The view leaves nothing to finish.
 */
export async function readByIds<V extends View>(ctx: Ctx, view: V, table: string, ids: number[]): Promise<z.output<V>[]> {
  const { columns, joins } = selectionOf(ctx, view, table)
  const { rows } = await sql<{ json: z.output<V> }>`
    select (select row_to_json(shown) from (select ${columns}) shown) as json from ${sql.table(table)} ${joins}
    where ${sql.ref(`${table}.tenant_id`)} = ${ctx.tenant.id} and ${sql.ref(`${table}.id`)} = any(${ids}::bigint[])
    order by ${sql.ref(`${table}.id`)}`.execute(ctx.tx)
  return rows.map(({ json }) => json)
}

/** The strong validator of a record, for `ETag` and `If-Match`. */
export const etagOf = (row: { id: number; revision: number }) => `"${row.id}-${row.revision}"`

/** JSON that the database has written by a view: it goes out as it is. */
export class JsonText {
  readonly text: string
  /** The record's validator, for `ETag`. */
  readonly etag: string | undefined
  /** Of a route that changes or makes a record: this one was made (201). */
  readonly isNew: boolean
  constructor(text: string, etag?: string, isNew = false) {
    this.text = text
    this.etag = etag
    this.isNew = isNew
  }
  /** Where it is part of a value that is written. */
  toJSON() {
    return JSON.parse(this.text)
  }
}
