/**
 * Lists: paging, sorting, filters, search and trash. A listing declares the queries that a table supports; its pages, totals and
 * counts use the same conditions and the same visibility.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { BaseCtx, Ctx } from '../context.ts'
import { choice, coded, date, kindOf, moment, queryFlag, queryId } from '../values/fields.ts'
import { definitionOf } from '../values/schema-definition.ts'
import { PageText, type Total } from './page-text.ts'
import type { Resource } from './resource.ts'
import {
  type ColumnOf,
  embedOf,
  gatherReachable,
  isOverShards,
  refersToOf,
  type Selection,
  scalarColumns,
  selectionOf,
  type View,
} from './view.ts'

export interface Page<T> extends Total {
  rows: T[]
}

/**
 * Totals are counted up to this limit, or to the end of the page if that is further. A total that reaches the limit is a lower
 * bound.
 */
const COUNTED_ROWS = 100_000
/**
 * Maximum number of search matches that are collected before the page is read. If there are more, rows are compared in the list's
 * order instead.
 */
const FOUND_ROWS = 10_000
/** The same limit for each list of a search over many lists. */
const SEARCHED_ROWS = 1_000
/** Maximum of PostgreSQL's integer, far above any number of rows. */
const MAX_INTEGER = 2_147_483_647

/** Condition of a query parameter; `Column` is a column of the table. */
export interface Filter<S extends z.core.$ZodType = z.core.$ZodType, Column extends string = string> {
  schema: S
  where(ctx: any, value: z.output<S>, column: (name: string) => RawBuilder<unknown>): RawBuilder<SqlBool> | undefined
  /** The only column that the condition uses, if there is just one. If it is tallied, tallies can answer the query. */
  column?: Column
  /** Its value is a record's id, as the column's is. */
  names?: true
}

/** Defines a list's own filter. */
export const filterOf = <S extends z.core.$ZodType, const Column extends string>(filter: Filter<S, Column>) => filter

const equals = <S extends z.core.$ZodType, const Column extends string>(name: Column, schema: S) =>
  filterOf<S, Column>({ schema, column: name, where: (_, value, column) => sql`${column(name)} = ${value}` })

const daysOf = <const Column extends string>(name: Column, compare: '=' | '>=' | '<=') =>
  filterOf({ schema: date(), column: name, where: (_, value, column) => sql`${column(name)} ${sql.raw(compare)} ${value}::date` })

/** Filters for common kinds of column. */
export const filter = {
  /** `?status=sent` */
  oneOf: <const Column extends string>(name: Column, values: readonly [string, ...string[]]) => equals(name, choice(values)),
  /** `?vendor_id=7` */
  id: <const Column extends string>(name: Column) => ({ ...equals(name, queryId()), names: true as const }),
  /** `?is_active=true` */
  flag: <const Column extends string>(name: Column) => equals(name, queryFlag()),
  /** `?overdue=true`: rows for which the condition holds; `false`: rows for which it is false or unknown. */
  holds: (condition: (ctx: Ctx, column: (name: string) => RawBuilder<unknown>) => RawBuilder<SqlBool>) =>
    filterOf<ReturnType<typeof queryFlag>, never>({
      schema: queryFlag(),
      where: (ctx: Ctx, value, column) => (value ? condition(ctx, column) : sql<SqlBool>`${condition(ctx, column)} is not true`),
    }),
  /** `?event=user_impersonation_started`; `words`: names of the possible codes for users. */
  text: <const Column extends string>(name: Column, words?: Record<string, string>) =>
    equals(name, words ? coded(z.string().max(100), words) : z.string().max(100)),
  /** `?date=2026-11-20` */
  date: <const Column extends string>(name: Column) => daysOf(name, '='),
  /** `?due_date_from=2026-11-01`: that day and later ones, for a date column. */
  from: <const Column extends string>(name: Column) => daysOf(name, '>='),
  /** `?due_date_to=2026-11-30`: that day and earlier ones, for a date column. */
  to: <const Column extends string>(name: Column) => daysOf(name, '<='),
  /** `?assigned_to=unassigned` or a user id */
  assignee: () =>
    filterOf({
      schema: z.union([z.literal('unassigned'), queryId()], "Must be 'unassigned' or a user id."),
      column: 'assigned_to',
      names: true,
      where: (_, value, column) =>
        value === 'unassigned' ? sql`${column('assigned_to')} is null` : sql`${column('assigned_to')} = ${value}`,
    }),
  /** `?my_purchase_orders=true` */
  mine: () =>
    filterOf({
      schema: queryFlag(),
      column: 'assigned_to',
      where: (ctx: Ctx, value, column) => (value ? sql`${column('assigned_to')} = ${ctx.actor.id}` : undefined),
    }),
}

/** Maximum number of ids in the `ids` filter. */
const MAX_IDS = 100

/** Filters of every list of records. Lists of other rows opt in with `asked`. */
const ofEveryRecord = {
  /** `?ids=3,7,12` */
  ids: filterOf({
    schema: z
      .string()
      .max(MAX_IDS * 16)
      .regex(/^\d{1,15}(,\d{1,15})*$/, 'Must be ids, separated by commas.')
      .meta({ description: `Keeps those of these ids: at most ${MAX_IDS}, separated by commas.`, examples: ['3,7,12'] })
      .transform((text) => [...new Set(text.split(',').map(Number))])
      .refine((ids) => ids.length <= MAX_IDS, `Must be at most ${MAX_IDS} ids.`),
    where: (_, ids, column) => sql`${column('id')} = any(${ids}::bigint[])`,
  }),
  /** `?external_id=shop-17` */
  external_id: filterOf({
    schema: z
      .string()
      .trim()
      .max(255)
      .meta({ description: 'Only the one that another system calls so.', examples: ['shop-17'] }),
    where: (_, externalId, column) => sql`${column('external_id')} = ${externalId}`,
  }),
  /** `?updated_since=2026-11-20T09:00:00Z` */
  updated_since: filterOf({
    schema: moment('2026-11-20T09:00:00Z').meta({
      description: 'Only what was changed then or later, the oldest change first where `sort` isn’t sent.',
    }),
    where: (_, since, column) => sql`${column('updated_at')} >= ${since}::timestamptz`,
  }),
}

/** Documented values. The first one must be harmless: generated clients send the first enum value by default. */
const TRASHED = ['with', 'only', 'true', 'false'] as const
/** `true` means `only`; `false` is treated as missing. */
const Trashed = z
  .enum([...TRASHED, '1', '0'], 'Must be true, false, only or with.')
  .meta({ override: { enum: [...TRASHED] } })
  .transform((value) => (value === 'with' ? value : value === 'false' || value === '0' ? undefined : 'only'))

/** Page number and size: values out of range are clamped, other texts than whole numbers are rejected. */
export const Paging = z.object({
  page: wholeNumber({ minimum: 1 })
    .transform((n) => Math.min(Math.max(n, 1), 1_000_000_000))
    .default(1),
  per_page: wholeNumber({ minimum: 1, maximum: 100 })
    .transform((n) => Math.min(Math.max(n, 1), 100))
    .default(25),
})

/** `bounds` are documented but not enforced. */
function wholeNumber(bounds: { minimum: number; maximum?: number }) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/, 'Must be a whole number.')
    .meta({ override: { type: 'integer', pattern: undefined, ...bounds } })
    .transform(Number)
}

type Filters<Column extends string> = Record<string, Filter<any, Column>>

/** Source of a list: a resource of the workspace, or a view of another table. */
export interface Listed<V extends View = View, C extends BaseCtx = any> {
  table: string
  item: V
  /** Predicate for the workspace; undefined for a platform table. */
  within(ctx: C): RawBuilder<SqlBool> | undefined
  /** Predicate for the actor's visibility; undefined: sees all. */
  scope(ctx: C): RawBuilder<SqlBool> | undefined
  scopedByAssignee?: boolean
  tallied?: readonly string[]
  /** Filters of every record that the table has columns for. Default: all for a resource, none for other tables. */
  asked?: readonly (keyof typeof ofEveryRecord)[]
}

const withinWorkspace = (table: string) => (ctx: Ctx) => sql<SqlBool>`${sql.ref(`${table}.tenant_id`)} = ${ctx.tenant.id}`

/** A table of the workspace that isn't a resource, for a listing. */
export const workspaceTable = <V extends View>(table: string, item: V): Listed<V, Ctx> => ({
  table,
  item,
  within: withinWorkspace(table),
  scope: () => undefined,
})

/** A table of the platform, for a listing. */
export const platformTable = <V extends View>(table: string, item: V): Listed<V> => ({
  table,
  item,
  asked: ['ids'],
  within: () => undefined,
  scope: () => undefined,
})

/** Filtered by other parameters: `updated_since`, `trashed`. */
const OTHERWISE_ASKED = new Set(['updated_at', 'deleted_at'])

/** Filter of an instant column: from or up to an instant, with the millisecond precision of replies. */
const instantFilter = (name: string, end: 'from' | 'to'): Filter => ({
  schema: moment('2026-11-20T09:00:00Z'),
  column: name,
  where: (_, value, column) =>
    end === 'from'
      ? sql`${column(name)} >= ${value}::timestamptz`
      : sql`${column(name)} < ${value}::timestamptz + interval '1 millisecond'`,
})

/**
 * Returns the range filters of every date and instant that a list can be sorted by:
 * `?due_date_from=2026-11-01&due_date_to=2026-11-30`.
 */
function ofTimes(item: View, sorts: readonly string[]): Filters<string> {
  const shape = item.shape as Record<string, z.core.$ZodType>
  const filters: [string, Filter][] = []
  // `created_at` last.
  for (const name of sorts.toSorted((a, b) => Number(a === 'created_at') - Number(b === 'created_at'))) {
    const format = shape[name] && !OTHERWISE_ASKED.has(name) && stringFormatOf(shape[name])
    if (format !== 'date' && format !== 'datetime') continue
    const isDay = format === 'date'
    const [noun, example] = isDay ? ['day', '2026-11-20'] : ['instant', '2026-11-20T09:00:00Z']
    for (const [end, side] of [
      ['from', 'later'],
      ['to', 'earlier'],
    ] as const) {
      const made: Filter = isDay ? filter[end](name) : instantFilter(name, end)
      const description = `Keeps those whose \`${name}\` is that ${noun} or ${side === 'later' ? 'a' : 'an'} ${side} one.`
      filters.push([`${name}_${end}`, described(made, description, example)])
    }
  }
  return Object.fromEntries(filters)
}
const described = (made: Filter, description: string, example: string): Filter => ({
  ...made,
  schema: (made.schema as z.ZodType).meta({ description, examples: [example] }),
})

/** Returns a field's string format, such as `date` or `datetime`, also of optional and nullable fields. */
function stringFormatOf(schema: z.core.$ZodType): string | undefined {
  const { format, innerType } = definitionOf(schema) as { format?: string; innerType?: z.core.$ZodType }
  return format ?? (innerType && stringFormatOf(innerType))
}

/** Returns a filter's schema. If its value is a record's id, it gets the record type of the column. */
function naming(item: View, { schema, column = '', names }: Filter): z.core.$ZodType {
  const refersTo = names && refersToOf(item, column)
  return refersTo ? (schema as z.ZodType).meta({ ...z.globalRegistry.get(schema), 'x-refers-to': refersTo }) : schema
}

interface ListingSpec<F extends Filters<Column>, Column extends string> {
  /** Default: created_at, updated_at and every scalar that the list shows. Required if the table has no updated_at. */
  sorts?: readonly Column[]
  filters?: F
  /**
   * true: the table has a search index (its migration calls app.searchable). `through`: referenced tables that are searched too.
   * Columns: for small tables, compared row by row.
   */
  search?: true | { through: Partial<Record<Column, string>> } | readonly Column[]
  /** The table has no soft delete. */
  hardDeleted?: true
  /** Order if `sort` isn't sent. Default: newest first. */
  order?: { by: readonly NoInfer<Column>[]; direction?: 'asc' | 'desc' }
}

/** A parsed query of a list. */
export interface ListQuery {
  page: number
  per_page: number
  sort?: string
  direction?: 'asc' | 'desc'
  search?: string
  trashed?: z.infer<typeof Trashed>
  [filter: string]: unknown
}

/** Export formats; `ndjson` is one JSON object per line, as the list shows it. */
const EXPORT_FORMATS = ['csv', 'xlsx', 'ndjson'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Sort order of rows; equal ones are sorted by id, in the same direction. */
export interface Order {
  by: readonly string[]
  direction: 'asc' | 'desc'
}

/** Returns the sort expression of a column: for a long text its first characters, which fit into an index. */
export function sortKey({ table, item }: Listed, name: string) {
  const schema = (item.shape as Record<string, z.core.$ZodType>)[name]
  const column = sql.ref(`${table}.${name}`)
  return schema && kindOf(schema).long ? sql`left(${column}, ${sql.lit(LONG_TEXT_SORTED_BY)})` : column
}
const LONG_TEXT_SORTED_BY = 100 // characters, as in the indexes of the migrations

/** Returns the ORDER BY of an order. */
export const sortingOf = (listed: Listed, { by, direction }: Order) =>
  sql.join([...by, 'id'].map((name) => sql`${sortKey(listed, name)} ${sql.raw(direction)}`))

/** For changes since an instant: a client that continues from the last row's `updated_at` gets every change. */
const OLDEST_CHANGE_FIRST = { by: ['updated_at'], direction: 'asc' } as const
const NEWEST_FIRST = { by: ['created_at'], direction: 'desc' } as const

/** Number of rows with a status, and of those assigned to the actor. */
export interface Counted {
  status: string | null
  total: number
  mine: number
}

/** Summary of a row in a search over many lists. */
export interface Found {
  key: number | string
  title: string | null
  number: string | null
  status: string | null
  /** Title of a row that is identified by its number. */
  about: string | null
}

/** Removes query parameters without a value: these are treated as missing. */
export const blankIsAbsent = (value: unknown): unknown =>
  value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).filter(([, given]) => given !== '')) : value

/** Subset of a list's rows, such as those of a folder or a gateway. */
export interface Part {
  only: RawBuilder<SqlBool>
  /** Number of rows, if it is known without counting. */
  total?: Promise<number>
}

/** List of a table: its query schemas, and functions that read pages and counts. */
export interface Listing<V extends View = View, C extends BaseCtx = any> {
  of: Listed<V, C>
  /** Schema of the list's query. */
  query: z.core.$ZodType<ListQuery>
  /** Schema of the stats query: the list's filters, without paging and sort. */
  statsQuery: z.core.$ZodType<ListQuery>
  /** Names of the filters. */
  filterNames: ReadonlySet<string>
  /** Schema of the export query: the list's filters and sort, and the file format. */
  exportQuery: z.core.$ZodType<ListQuery & { format: ExportFormat }>
  /** Returns the schema of a query with the list's filters and other parameters. */
  filtersWith<S extends z.ZodRawShape>(more: S): z.core.$ZodType<ListQuery & z.output<z.ZodObject<S>>>
  /** Returns the schema of a query with the list's filters and sort, and other parameters. */
  queryWith<S extends z.ZodRawShape>(more: S): z.core.$ZodType<ListQuery & z.output<z.ZodObject<S>>>
  order(query: ListQuery): Order
  /** Returns one page of the visible matching rows, or of a subset, as JSON by the list's view. */
  page(ctx: C, query: ListQuery, part?: Part): Promise<PageText>
  /** Returns a page of rows as objects, for code. Filters are given as in a query string: `{ status: 'sent', per_page: '5' }`. */
  rows(ctx: C, query: Record<string, string>): Promise<Page<z.output<V>>>
  /** Returns the number of matching rows by status, and how many of them are assigned to the actor. */
  counts(ctx: C, query: ListQuery): Promise<Counted[]>
  /** Returns the number of matching rows. */
  total(ctx: C, query: ListQuery, part?: Part): Promise<number>
  /**
   * Returns summaries of the newest live rows whose own text contains a term, without counting. For a search over many lists;
   * only for lists with a search index.
   */
  find?(ctx: C, term: string, most: number): Promise<Found[]>
  /** Returns the condition for visible matching rows, for lists of another shape and for sums. */
  condition(ctx: C, query: ListQuery): RawBuilder<SqlBool>
}

/** Listings by their query schemas, which the routes declare. */
const listings = new WeakMap<z.core.$ZodType, Listing>()
/** Returns the listing of a route's query schema; undefined for custom lists. */
export const listingOf = (query: z.core.$ZodType) => listings.get(query)

/** Defines the list of a resource or table. */
export function listing<V extends View, C extends BaseCtx, const F extends Filters<ColumnOf<V>>>(
  listed: Listed<V, C> | Resource<any, any, any, V>,
  spec: ListingSpec<F, ColumnOf<V>>,
): Listing<V, C> {
  const of: Listed<V, C> = 'within' in listed ? listed : { ...(listed as any), within: withinWorkspace(listed.table) }
  const { table } = of
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const asRecords = Object.entries(ofEveryRecord).filter(([name]) => !('within' in listed) || of.asked?.includes(name as never))
  const sorts =
    spec.sorts ?? [...new Set(['created_at', 'updated_at', ...scalarColumns(of.item)])].filter((name) => name !== 'external_id')
  const own = spec.filters as Filters<string> | undefined
  const filters: Filters<string> = { ...Object.fromEntries(asRecords), ...own, ...ofTimes(of.item, sorts), ...own }
  const isIndexed = spec.search !== undefined && !Array.isArray(spec.search)
  const searchedThrough = Object.entries(
    (isIndexed && spec.search !== true && (spec.search as { through: object }).through) || {},
  )
  const asked = {
    ...Object.fromEntries(Object.entries(filters).map(([name, filter]) => [name, z.optional(naming(of.item, filter))])),
    ...(spec.search
      ? {
          search: z
            .string()
            .trim()
            .max(200)
            .meta({ examples: ['nord'] })
            .transform((term) => term.replace(/\s+/g, ' '))
            .optional(),
        }
      : {}),
    ...(spec.hardDeleted ? {} : { trashed: Trashed.optional() }),
  }
  const filtersWith: Listing['filtersWith'] = (more) => z.preprocess(blankIsAbsent, z.object({ ...asked, ...more })) as any
  const statsQuery: z.core.$ZodType<ListQuery> = filtersWith({})
  const sorted = {
    ...asked,
    sort: choice(sorts as unknown as [string, ...string[]]).optional(),
    direction: z.enum(['asc', 'desc'], 'Must be asc or desc.').optional(),
  }
  const queryWith: Listing['queryWith'] = (more) => z.preprocess(blankIsAbsent, z.object({ ...sorted, ...more })) as any
  const query: z.core.$ZodType<ListQuery> = queryWith(Paging.shape)
  const exportQuery = queryWith({ format: choice(EXPORT_FORMATS).default('csv') })

  const order = (query: ListQuery): Order => {
    const usual = query.updated_since === undefined ? (spec.order ?? NEWEST_FIRST) : OLDEST_CHANGE_FIRST
    const { by, direction = 'asc' } = query.sort ? { by: [query.sort] } : usual
    return { by, direction: query.direction ?? direction }
  }

  const active = (query: ListQuery) => Object.entries(filters).filter(([name]) => query[name] !== undefined)

  /** `matches` replaces the search condition, for statements that search in another way. */
  function condition(ctx: C, query: ListQuery, part?: Part, matches?: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
    const all: (RawBuilder<SqlBool> | undefined)[] = [of.within(ctx), of.scope(ctx), part?.only]
    if (!spec.hardDeleted && query.trashed === undefined) all.push(sql`${column('deleted_at')} is null`)
    else if (query.trashed === 'only') all.push(sql`${column('deleted_at')} is not null`)
    for (const [name, { where }] of active(query)) all.push(where(ctx, query[name], column))
    if (query.search) all.push(matches ?? matching(query.search))
    const some = all.filter((one) => one !== undefined)
    return some.length ? sql.join(some, sql` and `) : sql`true`
  }

  /**
   * Ids of the rows that match a search, as an array evaluated first. A plain sub-select would let a prepared plan read all of
   * the workspace's rows and look each one up among the ids.
   */
  const idsOf = (term: string, most: number | null = null, levels = 2) =>
    sql`array(select ${sql.id('app', `search_${table}`)}(${term}, ${most}::int, ${sql.lit(levels)}))`

  function matching(term: string): RawBuilder<SqlBool> {
    if (isIndexed) return sql`${column('id')} = any (${idsOf(term)})`
    const pattern = `%${term.replace(/[\\%_]/g, '\\$&')}%`
    return sql`(${sql.join(
      ((spec.search ?? []) as readonly string[]).map((name) => sql`${column(name)}::text ilike ${pattern}`),
      sql` or `,
    )})`
  }

  /**
   * Search condition on a single row. Parts that don't depend on the row are in sub-selects, which run once. Ids of matching
   * referenced rows are hashed there; an array would be scanned for each row.
   */
  function matchingRow(term: string): RawBuilder<SqlBool> {
    const referred = searchedThrough.map(
      ([by, target]) => sql`or ${column(by)} in (select ${sql.id('app', `search_${target}`)}(${term}, null, 1))`,
    )
    return sql`(${column('search_text')} like (select app.containing(${term})) ${sql.join(referred, sql` `)})`
  }

  /** Counts in the cheapest way: from the tallies if they have all columns of the conditions, else by reading the rows. */
  async function counts(ctx: C, query: ListQuery, part?: Part): Promise<Counted[]> {
    const kept = of.tallied
    const { actor, tenant } = ctx as unknown as Ctx
    const mine = actor?.id ?? null
    if (!isTallied(ctx, query, part)) {
      const status = kept?.includes('status') ? column('status') : sql`null::text`
      const { rows } = await sql<Counted>`
        select ${status} as status, count(*)::int as total, ${kept?.includes('assigned_to') ? sql`count(*) filter (where ${column('assigned_to')} = ${mine})` : sql`0`}::int as mine
        from ${sql.table(table)} where ${condition(ctx, query, part)} group by 1`.execute(ctx.tx)
      return rows
    }
    const scoped = of.scope(ctx) !== undefined
    const tallyColumn = (name: string) => sql.ref(`record_tallies.${name}`)
    const all: (RawBuilder<SqlBool> | undefined)[] = [sql`tenant_id = ${tenant.id}`, sql`kind = ${table}`]
    if (scoped) all.push(sql`assigned_to = ${mine}`)
    if (query.trashed !== 'with') all.push(sql`trashed = ${query.trashed !== undefined}`)
    for (const [name, { where }] of active(query)) all.push(where(ctx, query[name], tallyColumn))
    const { rows } = await sql<Counted>`
      select status, sum(n)::int as total, coalesce(sum(n) filter (where assigned_to = ${mine}), 0)::int as mine
      from record_tallies where ${sql.join(
        all.filter((condition) => condition !== undefined),
        sql` and `,
      )} group by 1`.execute(ctx.tx)
    return rows
  }

  /** Whether the tallies have all columns of the conditions. */
  function isTallied(ctx: C, query: ListQuery, part?: Part) {
    const kept = of.tallied
    return (
      kept &&
      !part &&
      !query.search &&
      (of.scope(ctx) === undefined || (kept.includes('assigned_to') && of.scopedByAssignee)) &&
      active(query).every(([, f]) => f.column && kept.includes(f.column))
    )
  }

  /** Counts matching rows, up to `most`. */
  const countOf = (among: RawBuilder<SqlBool>, most: number) =>
    sql`select count(*)::int as total from (select 1 from ${sql.table(table)} where ${among} limit ${most}) counted`

  /** Returns the total for a page. */
  async function totalBeside(ctx: C, query: ListQuery, part?: Part): Promise<Total> {
    if (part?.total) return { total: await part.total }
    if (isTallied(ctx, query, part)) return { total: await total(ctx, query, part) }
    const most = Math.max(COUNTED_ROWS, query.page * query.per_page) + 1
    const { rows } = await sql<{ total: number }>`${countOf(condition(ctx, query, part), most)}`.execute(ctx.tx)
    return { total: rows[0]!.total, isFloor: rows[0]!.total === most }
  }

  /**
   * Selects the page's rows among those that meet a condition. The limit is a literal, and the first page has no offset: for
   * parameters a prepared plan assumes a tenth of the table.
   */
  function picked(query: ListQuery, among: RawBuilder<SqlBool>) {
    const offset = query.page === 1 ? sql`` : sql`offset ${(query.page - 1) * query.per_page}`
    return sql`from ${sql.table(table)} where ${among} order by ${sortingOf(of, order(query))} limit ${sql.lit(query.per_page)} ${offset}`
  }

  const pickedIds = (query: ListQuery, among: RawBuilder<SqlBool>) => sql`array(select ${column('id')} ${picked(query, among)})`
  const rowsOf = (within: RawBuilder<SqlBool>, ids: RawBuilder<unknown>) =>
    sql`select * from ${sql.table(table)} where ${within} and ${column('id')} = any (${ids})`

  /** Renders the page's rows as JSON by the list's view. Embeds are joined only to these rows. */
  function shown(ctx: C, query: ListQuery, rows: RawBuilder<unknown>) {
    const { columns, joins, unfinished, gathered } = selectionOf(ctx, of.item, table)
    const apart = unfinished.map(({ name, value }) => sql`, ${value} as ${sql.id(name)}`)
    const json = sql<string>`
      select coalesce(json_agg(row_to_json(shown)), '[]')::text as json from (
        select ${columns} ${sql.join(apart, sql``)} from (${rows}) as ${sql.id(table)} ${joins} order by ${sortingOf(of, order(query))}
      ) shown`
    return { json, unfinished, gathered }
  }

  /**
   * Renders the page's rows of all workspaces of a cluster, where the page can't be a subquery. OFFSET keeps the rows intact,
   * with the names of their columns.
   */
  function shownFlat(ctx: C, query: ListQuery, among: RawBuilder<SqlBool>) {
    const { columns, joins, unfinished, gathered } = selectionOf(ctx, of.item, table)
    const apart = unfinished.map(({ name, value }) => sql`, ${value} as ${sql.id(name)}`)
    const json = sql<string>`
      select coalesce(json_agg(row_to_json(shown)), '[]')::text as json from (
        select ${columns} ${sql.join(apart, sql``)} from ${sql.table(table)} ${joins} where ${among}
        order by ${sortingOf(of, order(query))} limit ${sql.lit(query.per_page)} offset ${(query.page - 1) * query.per_page}
      ) shown`
    return { json, unfinished, gathered }
  }

  const resource = 'within' in listed ? undefined : (listed as Resource)
  const finished = async (
    ctx: C,
    json: string,
    all: Total,
    { unfinished, gathered }: Pick<Selection, 'unfinished' | 'gathered'>,
  ) => {
    if (!unfinished.length && !gathered.length) return new PageText(json, all)
    const rows: Record<string, unknown>[] = JSON.parse(json)
    let incomplete: number[] = []
    if (gathered.length) {
      const ids = rows.map(({ id }) => id as number)
      const { of, missing } = await gatherReachable(ctx, gathered, ids)
      for (const [n, row] of rows.entries()) Object.assign(row, of(ids[n]!))
      incomplete = missing
    }
    for (const row of rows) for (const { name, finish } of unfinished) row[name] = finish(row[name], ctx, resource)
    return new PageText(JSON.stringify(rows), all, incomplete)
  }

  async function page(ctx: C, query: ListQuery, part?: Part) {
    if (isIndexed && query.search && !part?.total) return searchedPage(ctx, query, query.search, part)
    const among = condition(ctx, query, part)
    const within = of.within(ctx)
    // Rows outside the page (earlier pages, other orders, rare matches) are skipped by an index-only scan, without reading them.
    const isPlain = query.page === 1 && query.sort === undefined && query.trashed === undefined && !active(query).length
    const rowsOfPage = within && !isPlain ? rowsOf(within, pickedIds(query, among)) : sql`select * ${picked(query, among)}`
    const { json, ...left } = isOverShards(ctx) ? shownFlat(ctx, query, among) : shown(ctx, query, rowsOfPage)
    // Both queries are pipelined.
    const [{ rows }, all] = await Promise.all([sql<{ json: string }>`${json}`.execute(ctx.tx), totalBeside(ctx, query, part)])
    return finished(ctx, rows[0]!.json, all, left)
  }

  /**
   * Reads a page and its total with one search. If few rows match, both are computed from these. If many match, rows are compared
   * in the list's order until the page is full and the total is counted up to its limit.
   */
  async function searchedPage(ctx: C, query: ListQuery, term: string, part?: Part) {
    const most = Math.min(Math.max(FOUND_ROWS, query.page * query.per_page) + 1, MAX_INTEGER)
    const few = condition(ctx, query, part, sql<SqlBool>`${column('id')} = any ((select ids from found)::bigint[])`)
    const many = condition(ctx, query, part, matchingRow(term))
    const ids = sql`case when (select few from found) then ${pickedIds(query, few)} else ${pickedIds(query, many)} end`
    const { json, ...left } = shown(ctx, query, rowsOf(of.within(ctx)!, ids))
    const { rows } = await sql<{ json: string; total: number }>`
      with found as materialized (
        select ids, cardinality(ids) < ${most} as few from (select ${idsOf(term, most)} as ids) searched
      )
      select (${json}) as json, case when few then (${countOf(few, most)}) else (${countOf(many, most)}) end as total
      from found`.execute(ctx.tx)
    const [{ json: text, total }] = rows as [(typeof rows)[0]]
    return finished(ctx, text, { total, isFloor: total === most }, left)
  }

  /**
   * Searches only the rows' own text. Few matches are looked up; with many, the newest rows are compared until there are enough.
   */
  async function find(ctx: C, term: string, most: number): Promise<Found[]> {
    const { key, title } = resource!
    const shape = of.item.shape as Record<string, z.core.$ZodType>
    const shown = (name: string) => (shape[name] && !embedOf(shape[name]) ? sql`${column(name)}::text` : sql`null::text`)
    const query = { page: 1, per_page: most, search: term }
    const few = condition(ctx, query, undefined, sql`${column('id')} = any ((select ids from found)::bigint[])`)
    const many = condition(ctx, query, undefined, sql`${column('search_text')} like (select app.containing(${term}))`)
    const ids = sql`case when (select few from found) then ${pickedIds(query, few)} else ${pickedIds(query, many)} end`
    const { rows } = await sql<Found>`
      with found as materialized (
        select ids, cardinality(ids) < ${sql.lit(SEARCHED_ROWS)} as few from (select ${idsOf(term, SEARCHED_ROWS, 0)} as ids) searched
      )
      select ${column(key)} as key, ${column(title)}::text as title, ${shown('number')} as number, ${shown('status')} as status,
        ${title === 'number' ? shown('title') : sql`null::text`} as about
      from (${rowsOf(of.within(ctx)!, ids)}) as ${sql.id(table)} order by ${sortingOf(of, order(query))}`.execute(ctx.tx)
    return rows
  }

  const total = async (ctx: C, query: ListQuery, part?: Part) =>
    (await counts(ctx, query, part)).reduce((sum, { total }) => sum + total, 0)

  const made: Listing<V, C> = {
    of,
    query,
    statsQuery,
    filterNames: new Set(Object.keys(asked)),
    exportQuery,
    filtersWith,
    queryWith,
    order,
    condition: (ctx, query) => condition(ctx, query),
    counts: (ctx, query) => counts(ctx, query),
    find: isIndexed && resource ? find : undefined,
    total,
    page,
    async rows(ctx, given) {
      const { text, total, isFloor } = await page(ctx, z.parse(query, given))
      return { rows: JSON.parse(text), total, isFloor }
    },
  }
  listings.set(query, made)
  return made
}
