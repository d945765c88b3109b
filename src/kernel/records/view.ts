/**
 * Views: the columns and references of a table that a reply shows. The fields define the reply's schema and a SELECT that reads
 * exactly them, as JSON built by the database. Other columns are neither read nor sent.
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

/** Names of all tables. */
export type TableName = { [T in keyof DB]: T }[keyof DB]

/** Row for which a field is read; it is in scope under the table's name. */
export interface At<C extends BaseCtx = Ctx> {
  ctx: C
  table: string
  /** Name of the field, usable as an alias. */
  as: string
}

/** Field that isn't a column: how it is read for a row. */
export interface Embed<Column extends string = string, C extends BaseCtx = any> {
  /** Columns of the row that it uses. */
  columns: readonly Column[]
  /** Record type that the first of these columns refers to, as in `x-resource`: `vendor`. */
  refersTo?: string
  /** Shows the record's name without the permission to view it (`ReferenceOptions`). */
  picker?: boolean
  /** A JSON expression. */
  value(at: At<C>): RawBuilder<unknown>
  /** LEFT JOIN that the value needs; a list joins it to the rows of its page. */
  join?(at: At<C>): RawBuilder<unknown>
  /**
   * Replaces the value on a cluster, if it is computed from rows of workspaces, which are on several nodes. Reads it for these
   * workspace ids.
   */
  gather?(ctx: C, ids: number[]): Promise<(id: number) => unknown>
  /** Post-processes the value that was read; may return a `JsonText`. `of` is the table's resource, if it has one. */
  finish?(value: any, ctx: C, of: HasActivities | undefined): unknown
}

/** Types of timeline entry, each with a function that renders its sentence from the properties. */
export type ActivityTemplates = Record<string, (properties: any) => string>

export interface HasActivities<S extends ActivityTemplates = any> {
  activityTemplates: S
}

/** Maximum number of entries of a growing list (notes, timeline, histories) in a detail view; a paged route has them all. */
export const MAX_EMBEDDED = 100

/** A registry, because `.describe()` and `.meta()` return a new schema, which a registry still recognises. */
const embeds = z.registry<{ embed: unknown }>()
/** Returns how a field that isn't a column is read. */
export const embedOf = (schema: z.core.$ZodType) => embeds.get(schema)?.embed as Embed | undefined

/** Field of a view with this schema that is read by `embed`. */
export type Embedded<S extends z.core.$ZodType, Column extends string> = S & { readonly embedded?: Column }

/** Makes a schema a field of a view that is read by `embed`. */
export const embedded = <S extends z.core.$ZodType, const Column extends string, C extends BaseCtx = Ctx>(
  schema: S,
  embed: Embed<Column, C>,
): Embedded<S, Column> => {
  embeds.add(schema, { embed })
  return schema as Embedded<S, Column>
}

/** Field that the database computes from the row. */
export const computed = <S extends z.core.$ZodType, const Column extends string = never>(
  schema: S,
  value: (at: At<any>) => RawBuilder<unknown>,
  columns: readonly Column[] = [],
) => embedded(schema, { columns, value })

type Shape = Record<string, z.core.$ZodType>

/** Checks at compile time that fields are columns of the table with a matching type, or embeds over its columns. */
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
    ? S // the schema decides what JSON columns contain
    : RowOf<T>[K] extends z.input<S>
      ? S
      : `the column ${K & string} does not fit this schema`
  : `${K & string} is not a column of ${T}`

type RowOf<T extends TableName> = Selectable<DB[T]>

/** Schema of a table's rows in replies. */
export type View<T extends TableName = any, F extends Shape = any> = z.ZodObject<F> & { readonly of?: T }

/** Names of the columns of a view's table. */
export type ColumnOf<V> = V extends { readonly of?: infer T } ? (T extends TableName ? keyof DB[T] & string : string) : string

/** Defines a view of a table; `name` is the schema's name in the API documents. */
export const view = <const T extends TableName, F extends Shape>(_table: T, name: string, fields: F & Fields<T, F>): View<T, F> =>
  z.object(withReferences(fields) as F).meta({ id: name }) as View<T, F>

/** Extends a view with further fields, such as a detail view of a list's. */
export const extended = <T extends TableName, F extends Shape, G extends Shape>(
  base: View<T, F>,
  name: string,
  fields: G & Fields<T, G>,
): View<T, F & G> => z.object(withReferences({ ...base.shape, ...(fields as G) })).meta({ id: name }) as never

/** Adds the reference type of an embed (`vendor`) to the schema of its column (`vendor_id`). */
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

/** Returns the record type that a view's column refers to; undefined if the view doesn't declare it. */
export function refersToOf(view: View, column: string): string | undefined {
  for (let field: z.core.$ZodType | undefined = (view.shape as Shape)[column]; field; field = definitionOf(field).innerType) {
    const refersTo = z.globalRegistry.get(field)?.['x-refers-to']
    if (refersTo) return refersTo as string
  }
  return undefined
}

/** Marks a view with its record type and the field that names the record. */
export const describeRecord = (view: View, { table, title }: { table: string; title: string }) =>
  view.register(z.globalRegistry, { ...view.meta(), 'x-resource': singular(table), 'x-title-field': title })

/** Whether a reply is a record, whose revision becomes the ETag. */
export const isRecord = (schema: z.core.$ZodType | undefined) =>
  schema !== undefined && z.globalRegistry.get(schema)?.['x-resource'] !== undefined

type Field = { name: string; embed: Embed } | { columns: RawBuilder<unknown> }

const fields = new WeakMap<View, Map<string, Field[]>>()

/** Returns the fields of a view of rows in scope as `table`, in order; consecutive columns are combined. */
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

/** Returns the view's numeric columns: only there '5' and '5.000000' are equal. */
export const exactColumns = (view: View) =>
  Object.entries(view.shape as Shape).flatMap(([name, schema]) => (!embedOf(schema) && kindOf(schema).exact ? [name] : []))

const JSON_TYPES = new Set(['array', 'object', 'record', 'tuple', 'union', 'unknown', 'any'])

/** Returns the view's scalar columns: those a list can be sorted by. */
export const scalarColumns = (view: View) =>
  Object.entries(view.shape as Shape).flatMap(([name, schema]) => (embedOf(schema) || isJson(schema) ? [] : [name]))

/** Whether a field is a list or an object. */
export function isJson(schema: z.core.$ZodType): boolean {
  const { type, innerType } = definitionOf(schema)
  return innerType ? isJson(innerType) : JSON_TYPES.has(type)
}

/** Parts of a SELECT that reads a view of rows in scope as `table`. */
export interface Selection {
  /** `app.iso(vendors.created_at) as created_at, …`: the fields that the database writes into the JSON. */
  columns: RawBuilder<unknown>
  joins: RawBuilder<unknown>
  /** Fields read separately, because they need post-processing. */
  unfinished: { name: string; value: RawBuilder<unknown>; finish: NonNullable<Embed['finish']> }[]
  /** Fields read afterwards, for all rows at once. */
  gathered: { name: string; gather: NonNullable<Embed['gather']> }[]
}

/** Returns the parts of a SELECT for a view of rows in scope as `table`. */
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

/** Reads the `gathered` fields. Returns a function from a workspace's id to its fields. */
export async function gather(ctx: BaseCtx, gathered: Selection['gathered'], ids: number[]) {
  const found = await Promise.all(gathered.map(async ({ name, gather }) => [name, await gather(ctx, ids)] as const))
  return (id: number) => Object.fromEntries(found.map(([name, of]) => [name, of(id)]))
}

/** Reads the `gathered` fields from the nodes that can be reached. For other workspaces, returned as `missing`, they are null. */
export async function gatherReachable(ctx: BaseCtx, gathered: Selection['gathered'], ids: number[]) {
  const { answers, missing } = await askMachines(ctx, ids, async (some) => ({ some, of: await gather(ctx, gathered, some) }))
  const known = new Map(answers.flatMap(({ some, of }) => some.map((id) => [id, of(id)] as const)))
  const unknown = Object.fromEntries(gathered.map(({ name }) => [name, null]))
  return { of: (id: number) => known.get(id) ?? unknown, missing }
}

/** Field computed from a column by code, such as a link from a file's key. */
export const derived = <S extends z.core.$ZodType, const Column extends string, C extends BaseCtx = Ctx>(
  schema: S,
  column: Column,
  make: (value: any, ctx: C) => z.input<S>,
) => embedded<S, Column, C>(schema, { columns: [column], value: ({ table }) => sql.ref(`${table}.${column}`), finish: make })

/**
 * Whether a query covers rows on several nodes of a cluster. Its JSON must then be built from a subquery's rows, not in a
 * correlated subquery.
 */
export const isOverShards = (ctx: BaseCtx) => ctx.services.database.isCluster && !('tenant' in ctx)

interface One {
  /** Noun in the 404 message. */
  noun: string
  /** Whether its revision becomes the ETag. */
  revised?: true
  of?: HasActivities
}

/**
 * Reads the single row of a table that meets the conditions, rendered by a view. Throws 404 if there is none. Post-processed
 * fields come last.
 */
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
    ? // OFFSET keeps the row intact, with the names of its columns.
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

/** JSON of a post-processed value, which may already be text. */
const textOf = (value: unknown) => (value instanceof JsonText ? value.text : JSON.stringify(value))

/**
 * Reads rows of a workspace's table by their ids, rendered by a view, without checking scope or deletion: for code that prints or
 * copies records that the actor was allowed to see. The view must have no post-processed fields.
 */
export async function readByIds<V extends View>(ctx: Ctx, view: V, table: string, ids: number[]): Promise<z.output<V>[]> {
  const { columns, joins } = selectionOf(ctx, view, table)
  const { rows } = await sql<{ json: z.output<V> }>`
    select (select row_to_json(shown) from (select ${columns}) shown) as json from ${sql.table(table)} ${joins}
    where ${sql.ref(`${table}.tenant_id`)} = ${ctx.tenant.id} and ${sql.ref(`${table}.id`)} = any(${ids}::bigint[])
    order by ${sql.ref(`${table}.id`)}`.execute(ctx.tx)
  return rows.map(({ json }) => json)
}

/** Strong validator of a record, for `ETag` and `If-Match`. */
export const etagOf = (row: { id: number; revision: number }) => `"${row.id}-${row.revision}"`

/** JSON text that the database rendered by a view; sent unchanged. */
export class JsonText {
  readonly text: string
  /** Validator of the record, for `ETag`. */
  readonly etag: string | undefined
  /** For a route that creates or updates a record: true if it was created (201). */
  readonly isNew: boolean
  constructor(text: string, etag?: string, isNew = false) {
    this.text = text
    this.etag = etag
    this.isNew = isNew
  }
  /** Used when it is part of a value that is serialised. */
  toJSON() {
    return JSON.parse(this.text)
  }
}
