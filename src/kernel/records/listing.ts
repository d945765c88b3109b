/**
 * Lists: paging, sorting, filters, search and the trash, said once. A listing declares what a table may be asked; its page,
 * its total and its counts then follow the same conditions and the same visibility.
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

/** What is counted to be told beside a page is counted so far, or to the end of the page; a count that reaches it is a floor. */
const COUNTED_ROWS = 100_000
/** Matches of a search that are found before its page is read. Where there are more, the page is read in the list's order instead. */
const FOUND_ROWS = 10_000
/** As many matches of one list are looked up by a search over many lists. */
const SEARCHED_ROWS = 1_000
/** What PostgreSQL's integer holds: so many rows there never are. */
const MAX_INTEGER = 2_147_483_647

/** A condition that a query parameter stands for; `Column` is one of the table's. */
export interface Filter<S extends z.core.$ZodType = z.core.$ZodType, Column extends string = string> {
  schema: S
  where(ctx: any, value: z.output<S>, column: (name: string) => RawBuilder<unknown>): RawBuilder<SqlBool> | undefined
  /** The only column it looks at, if there is just one: where tallies keep it, they answer for it. */
  column?: Column
  /** Its value names a record, as the column does. */
  names?: true
}

/** A condition of a list's own. */
export const filterOf = <S extends z.core.$ZodType, const Column extends string>(filter: Filter<S, Column>) => filter

const equals = <S extends z.core.$ZodType, const Column extends string>(name: Column, schema: S) =>
  filterOf<S, Column>({ schema, column: name, where: (_, value, column) => sql`${column(name)} = ${value}` })

const daysOf = <const Column extends string>(name: Column, compare: '=' | '>=' | '<=') =>
  filterOf({ schema: date(), column: name, where: (_, value, column) => sql`${column(name)} ${sql.raw(compare)} ${value}::date` })

export const filter = {
  /** `?status=sent` */
  oneOf: <const Column extends string>(name: Column, values: readonly [string, ...string[]]) => equals(name, choice(values)),
  /** `?vendor_id=7` */
  id: <const Column extends string>(name: Column) => ({ ...equals(name, queryId()), names: true as const }),
  /** `?is_active=true` */
  flag: <const Column extends string>(name: Column) => equals(name, queryFlag()),
  /** `?overdue=true`: those for which a condition holds; `false`: those for which it doesn't, or isn't known. */
  holds: (condition: (ctx: Ctx, column: (name: string) => RawBuilder<unknown>) => RawBuilder<SqlBool>) =>
    filterOf<ReturnType<typeof queryFlag>, never>({
      schema: queryFlag(),
      where: (ctx: Ctx, value, column) => (value ? condition(ctx, column) : sql<SqlBool>`${condition(ctx, column)} is not true`),
    }),
  /** `?event=user_impersonation_started`; `words`: what people call the codes that it may be. */
  text: <const Column extends string>(name: Column, words?: Record<string, string>) =>
    equals(name, words ? coded(z.string().max(100), words) : z.string().max(100)),
  /** `?date=2026-11-20` */
  date: <const Column extends string>(name: Column) => daysOf(name, '='),
  /** `?due_date_from=2026-11-01`: that day and later ones, of a column that is a date. */
  from: <const Column extends string>(name: Column) => daysOf(name, '>='),
  /** `?due_date_to=2026-11-30`: that day and earlier ones. */
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

/** Ids that a list is asked for at once. */
const MAX_IDS = 100

/** What every list of records may be asked, and lists of other rows as far as they say so (`asked`). */
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

/** Told are these; the first one harms least where a tool sends it because it is the first. */
const TRASHED = ['with', 'only', 'true', 'false'] as const
/** `true` is `only`, and `false` counts as not sent. */
const Trashed = z
  .enum([...TRASHED, '1', '0'], 'Must be true, false, only or with.')
  .meta({ override: { enum: [...TRASHED] } })
  .transform((value) => (value === 'with' ? value : value === 'false' || value === '0' ? undefined : 'only'))

/** Page number and size: out of range is brought into range, what isn't a number is refused. */
export const Paging = z.object({
  page: wholeNumber({ minimum: 1 })
    .transform((n) => Math.min(Math.max(n, 1), 1_000_000_000))
    .default(1),
  per_page: wholeNumber({ minimum: 1, maximum: 100 })
    .transform((n) => Math.min(Math.max(n, 1), 100))
    .default(25),
})

/** `bounds` are told, not refused. */
function wholeNumber(bounds: { minimum: number; maximum?: number }) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/, 'Must be a whole number.')
    .meta({ override: { type: 'integer', pattern: undefined, ...bounds } })
    .transform(Number)
}

type Filters<Column extends string> = Record<string, Filter<any, Column>>

/** What a list is of: a resource of the workspace, or a view of another table. */
export interface Listed<V extends View = View, C extends BaseCtx = any> {
  table: string
  item: V
  /** The workspace's condition; a platform table has none. */
  within(ctx: C): RawBuilder<SqlBool> | undefined
  /** The actor's visibility; undefined: sees all. */
  scope(ctx: C): RawBuilder<SqlBool> | undefined
  scopedByAssignee?: boolean
  tallied?: readonly string[]
  /** Which of the filters of every record it has the columns for. Default, but for a resource: none. */
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

/** Of these a list is asked by other words: `updated_since`, `trashed`. */
const OTHERWISE_ASKED = new Set(['updated_at', 'deleted_at'])

/** Of a column that is an instant: then or later, and then or earlier, to the millisecond that replies show. */
const instantFilter = (name: string, end: 'from' | 'to'): Filter => ({
  schema: moment('2026-11-20T09:00:00Z'),
  column: name,
  where: (_, value, column) =>
    end === 'from'
      ? sql`${column(name)} >= ${value}::timestamptz`
      : sql`${column(name)} < ${value}::timestamptz + interval '1 millisecond'`,
})

/** `?due_date_from=2026-11-01&due_date_to=2026-11-30` of every day that a list can be sorted by, and of every instant. */
function ofTimes(item: View, sorts: readonly string[]): Filters<string> {
  const shape = item.shape as Record<string, z.core.$ZodType>
  const filters: [string, Filter][] = []
  // When they were made is asked last.
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

/** `date` and `datetime` among them, through what makes a field optional or null. */
function stringFormatOf(schema: z.core.$ZodType): string | undefined {
  const { format, innerType } = definitionOf(schema) as { format?: string; innerType?: z.core.$ZodType }
  return format ?? (innerType && stringFormatOf(innerType))
}

/** What a filter takes; one that names a record says of which kind, as the column does. */
function naming(item: View, { schema, column = '', names }: Filter): z.core.$ZodType {
  const refersTo = names && refersToOf(item, column)
  return refersTo ? (schema as z.ZodType).meta({ ...z.globalRegistry.get(schema), 'x-refers-to': refersTo }) : schema
}

interface ListingSpec<F extends Filters<Column>, Column extends string> {
  /** Default: created_at, updated_at and every scalar that the list shows. To be named where the table has no updated_at. */
  sorts?: readonly Column[]
  filters?: F
  /**
   * true: the table is searchable (its migration calls app.searchable). The tables that it is searched through, by their references, where
   * there are any. Columns: few rows, read one by one.
   */
  search?: true | { through: Partial<Record<Column, string>> } | readonly Column[]
  /** The table has no soft delete. */
  hardDeleted?: true
  /** Where `sort` isn't sent. Default: the newest first. */
  order?: { by: readonly NoInfer<Column>[]; direction?: 'asc' | 'desc' }
}

export interface ListQuery {
  page: number
  per_page: number
  sort?: string
  direction?: 'asc' | 'desc'
  search?: string
  trashed?: z.infer<typeof Trashed>
  [filter: string]: unknown
}

/** What an export may be: `ndjson` is one JSON object a line, as the list shows it. */
const EXPORT_FORMATS = ['csv', 'xlsx', 'ndjson'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** By what rows are sorted; those that are equal in it are sorted by id, in the same direction. */
export interface Order {
  by: readonly string[]
  direction: 'asc' | 'desc'
}

/** What a column is sorted by: a long text by its beginning, which fits into an index. */
export function sortKey({ table, item }: Listed, name: string) {
  const schema = (item.shape as Record<string, z.core.$ZodType>)[name]
  const column = sql.ref(`${table}.${name}`)
  return schema && kindOf(schema).long ? sql`left(${column}, ${sql.lit(LONG_TEXT_SORTED_BY)})` : column
}
const LONG_TEXT_SORTED_BY = 100 // characters, as the indexes of the migrations have it

/** ORDER BY of an order. */
export const sortingOf = (listed: Listed, { by, direction }: Order) =>
  sql.join([...by, 'id'].map((name) => sql`${sortKey(listed, name)} ${sql.raw(direction)}`))

/** Of those that changed since: whoever reads on from the last one's `updated_at` has all that changed. */
const OLDEST_CHANGE_FIRST = { by: ['updated_at'], direction: 'asc' } as const
const NEWEST_FIRST = { by: ['created_at'], direction: 'desc' } as const

export interface Counted {
  status: string | null
  total: number
  mine: number
}

/** A row in short, as a search over many lists shows it. */
export interface Found {
  key: number | string
  title: string | null
  number: string | null
  status: string | null
  /** Of what is known by its number: its title. */
  about: string | null
}

/** A query without the parameters that have no value: these count as not sent. */
export const blankIsAbsent = (value: unknown): unknown =>
  value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).filter(([, given]) => given !== '')) : value

/** The rows of one thing: of a folder, of a gateway. */
export interface Part {
  only: RawBuilder<SqlBool>
  /** How many match, where that is known by another way than counting them. */
  total?: Promise<number>
}

export interface Listing<V extends View = View, C extends BaseCtx = any> {
  of: Listed<V, C>
  /** Schema of the list's query. */
  query: z.core.$ZodType<ListQuery>
  /** Schema of the query of stats: the list's filters, without paging and sort. */
  statsQuery: z.core.$ZodType<ListQuery>
  /** What a query may filter by. */
  filterNames: ReadonlySet<string>
  /** Schema of the query of an export: the list's filters and sort, and the format of the file. */
  exportQuery: z.core.$ZodType<ListQuery & { format: ExportFormat }>
  /** Schema of a query with the list's filters, and parameters of another kind. */
  filtersWith<S extends z.ZodRawShape>(more: S): z.core.$ZodType<ListQuery & z.output<z.ZodObject<S>>>
  /** Schema of a query with the list's filters and sort, and parameters of another kind. */
  queryWith<S extends z.ZodRawShape>(more: S): z.core.$ZodType<ListQuery & z.output<z.ZodObject<S>>>
  order(query: ListQuery): Order
  /** One page of the visible rows that match, as JSON by the list's view; of a part of them, where one is given. */
  page(ctx: C, query: ListQuery, part?: Part): Promise<PageText>
  /** A page of rows as objects, for code. Filters as they stand in a query: `{ status: 'sent', per_page: '5' }`. */
  rows(ctx: C, query: Record<string, string>): Promise<Page<z.output<V>>>
  /** How many match, by status, and how many of those are the actor's. */
  counts(ctx: C, query: ListQuery): Promise<Counted[]>
  /** How many match. */
  total(ctx: C, query: ListQuery, part?: Part): Promise<number>
  /**
   * The newest live rows whose own text contains a term, in short: of a list that is searched by an index. For a search over many lists, which
   * counts nothing.
   */
  find?(ctx: C, term: string, most: number): Promise<Found[]>
  /** What matches and is visible, as a condition: for lists of another shape and for sums. */
  condition(ctx: C, query: ListQuery): RawBuilder<SqlBool>
}

/** The listings by the schemas of their queries, which the routes name. */
const listings = new WeakMap<z.core.$ZodType, Listing>()
/** The listing whose query a route takes; undefined: a list of its own making. */
export const listingOf = (query: z.core.$ZodType) => listings.get(query)

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

  /** `matches` stands for the search, where the statement goes about that in another way. */
  function condition(ctx: C, query: ListQuery, part?: Part, matches?: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
    const all: (RawBuilder<SqlBool> | undefined)[] = [of.within(ctx), of.scope(ctx), part?.only]
    if (!spec.hardDeleted && query.trashed === undefined) all.push(sql`${column('deleted_at')} is null`)
    else if (query.trashed === 'only') all.push(sql`${column('deleted_at')} is not null`)
    for (const [name, { where }] of active(query)) all.push(where(ctx, query[name], column))
    if (query.search) all.push(matches ?? matching(query.search))
    const some = all.filter((one) => one !== undefined)
    return some.length ? sql.join(some, sql` and `) : sql`true`
  }

  /** Found first: a sub-select in its place lets a prepared plan read the workspace's rows and look each up among the ids. */
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
   * The search as a condition on the row at hand. What doesn't depend on the row stands in sub-selects, which are run once; the ids that a
   * reference may have are hashed there, where an array would be read to its end for each row.
   */
  function matchingRow(term: string): RawBuilder<SqlBool> {
    const referred = searchedThrough.map(
      ([by, target]) => sql`or ${column(by)} in (select ${sql.id('app', `search_${target}`)}(${term}, null, 1))`,
    )
    return sql`(${column('search_text')} like (select app.containing(${term})) ${sql.join(referred, sql` `)})`
  }

  /** Counts the way that costs least: from the tallies when every condition is on what they keep, else by reading the rows. */
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

  /** Whether the tallies know: every condition is on what they keep. */
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

  /** Counts what matches, as far as `most`. */
  const countOf = (among: RawBuilder<SqlBool>, most: number) =>
    sql`select count(*)::int as total from (select 1 from ${sql.table(table)} where ${among} limit ${most}) counted`

  /** How many rows there are for a page to tell. */
  async function totalBeside(ctx: C, query: ListQuery, part?: Part): Promise<Total> {
    if (part?.total) return { total: await part.total }
    if (isTallied(ctx, query, part)) return { total: await total(ctx, query, part) }
    const most = Math.max(COUNTED_ROWS, query.page * query.per_page) + 1
    const { rows } = await sql<{ total: number }>`${countOf(condition(ctx, query, part), most)}`.execute(ctx.tx)
    return { total: rows[0]!.total, isFloor: rows[0]!.total === most }
  }

  /**
   * The rows of the page, of those that meet a condition. The limit is literal, and the first page has no offset: a prepared plan that
   * can't see them expects to read a tenth of the table.
   */
  function picked(query: ListQuery, among: RawBuilder<SqlBool>) {
    const offset = query.page === 1 ? sql`` : sql`offset ${(query.page - 1) * query.per_page}`
    return sql`from ${sql.table(table)} where ${among} order by ${sortingOf(of, order(query))} limit ${sql.lit(query.per_page)} ${offset}`
  }

  const pickedIds = (query: ListQuery, among: RawBuilder<SqlBool>) => sql`array(select ${column('id')} ${picked(query, among)})`
  const rowsOf = (within: RawBuilder<SqlBool>, ids: RawBuilder<unknown>) =>
    sql`select * from ${sql.table(table)} where ${within} and ${column('id')} = any (${ids})`

  /** The page's rows as JSON by the list's view: what is embedded is joined to these few. */
  function shown(ctx: C, query: ListQuery, rows: RawBuilder<unknown>) {
    const { columns, joins, unfinished, gathered } = selectionOf(ctx, of.item, table)
    const apart = unfinished.map(({ name, value }) => sql`, ${value} as ${sql.id(name)}`)
    const json = sql<string>`
      select coalesce(json_agg(row_to_json(shown)), '[]')::text as json from (
        select ${columns} ${sql.join(apart, sql``)} from (${rows}) as ${sql.id(table)} ${joins} order by ${sortingOf(of, order(query))}
      ) shown`
    return { json, unfinished, gathered }
  }

  /** The page's rows as JSON, of all workspaces of a cluster: the page isn't a query within a query there. OFFSET keeps rows in one piece, with the names of their columns. */
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
    // Whatever is passed over (pages before, other orders, rare matches) is passed over in an index alone, without a look at the rows.
    const isPlain = query.page === 1 && query.sort === undefined && query.trashed === undefined && !active(query).length
    const rowsOfPage = within && !isPlain ? rowsOf(within, pickedIds(query, among)) : sql`select * ${picked(query, among)}`
    const { json, ...left } = isOverShards(ctx) ? shownFlat(ctx, query, among) : shown(ctx, query, rowsOfPage)
    const [{ rows }, all] = await Promise.all([sql<{ json: string }>`${json}`.execute(ctx.tx), totalBeside(ctx, query, part)]) // both are on the wire at once
    return finished(ctx, rows[0]!.json, all, left)
  }

  /**
   * A page and its total from one search. Where few rows match, page and total are of these. Where many do, the list is read in its
   * order, each row compared, until the page is full, and until as many are counted as a total tells.
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

  /** By their own text alone: few are looked up, of many the newest rows are compared until there are enough. */
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
