/**
 * Lists: paging, sorting, filters, search and the trash, said once. A listing declares what a table may be asked; its page,
 * its total and its counts then follow the same conditions and the same visibility.
 */
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { BaseCtx, Ctx } from '../context.ts'
import { queryFlag, queryId } from '../values/fields.ts'

export interface Page<T> {
  rows: T[]
  total: number
}

/** A condition that a query parameter stands for. */
export interface Filter<S extends z.ZodType = z.ZodType> {
  schema: S
  where(ctx: any, value: z.output<S>, column: (name: string) => RawBuilder<unknown>): RawBuilder<SqlBool> | undefined
  /** The only column it looks at, if there is just one: where tallies keep it, they answer for it. */
  column?: string
}

const filterOf = <S extends z.ZodType>(filter: Filter<S>) => filter

export const filter = {
  /** `?status=sent` */
  oneOf: <const V extends string>(name: string, values: readonly V[]) =>
    filterOf({
      schema: z.enum(values, `Must be one of ${values.join(', ')}.`),
      column: name,
      where: (_, value, column) => sql`${column(name)} = ${value}`,
    }),
  /** `?vendor_id=7` */
  id: (name: string) =>
    filterOf({ schema: queryId(), column: name, where: (_, value, column) => sql`${column(name)} = ${value}` }),
  /** `?is_active=true` */
  flag: (name: string) =>
    filterOf({ schema: queryFlag(), column: name, where: (_, value, column) => sql`${column(name)} = ${value}` }),
  /** `?assigned_to=unassigned` or a user id */
  assignee: () =>
    filterOf({
      schema: z.union([z.literal('unassigned'), queryId()], "Must be 'unassigned' or a user id."),
      column: 'assigned_to',
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

const Trashed = z.enum(['true', 'only', 'with'], 'Must be true, only or with.')

/** Page number and size: out of range is brought into range, what isn't a number is refused. */
export const Paging = z.object({
  page: wholeNumber()
    .transform((n) => Math.min(Math.max(n, 1), 1_000_000_000))
    .default(1),
  per_page: wholeNumber()
    .transform((n) => Math.min(Math.max(n, 1), 100))
    .default(25),
})

function wholeNumber() {
  return z
    .string()
    .regex(/^-?\d{1,15}$/, 'Must be a whole number.')
    .transform(Number)
}

type Filters = Record<string, Filter>

/** What a list is of: a resource of the workspace, or a table of the platform. */
export interface Listed<C extends BaseCtx = any> {
  table: string
  /** The workspace's condition; a platform table has none. */
  within(ctx: C): RawBuilder<SqlBool> | undefined
  /** The actor's visibility; undefined: sees all. */
  scope(ctx: C): RawBuilder<SqlBool> | undefined
  scopedByAssignee?: boolean
  tallied?: readonly string[]
}

/** A table of the workspace that isn't a resource, for a listing. */
export const workspaceTable = (table: string): Listed<Ctx> => ({
  table,
  within: (ctx) => sql`${sql.ref(`${table}.tenant_id`)} = ${ctx.tenant.id}`,
  scope: () => undefined,
})

/** A table of the platform, for a listing. */
export const platformTable = (table: string): Listed => ({ table, within: () => undefined, scope: () => undefined })

interface ListingSpec<F extends Filters, S extends string> {
  sorts: readonly S[]
  filters?: F
  /** true: the table is searchable (its migration calls app.searchable). Columns: few rows, read one by one. */
  search?: true | readonly string[]
  /** The table has no soft delete. */
  hardDeleted?: true
  defaultSort?: NoInfer<S>
  defaultDirection?: 'asc' | 'desc'
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

export interface Counted {
  status: string | null
  total: number
  mine: number
}

export interface Listing<C extends BaseCtx = any> {
  /** Schema of the list's query. */
  query: z.ZodType<ListQuery>
  /** The same filters without paging and sort, for stats. */
  statsQuery: z.ZodType<ListQuery>
  /** The same filters and sort without paging, and the format of the file. */
  exportQuery: z.ZodType<ListQuery & { format: 'csv' | 'xlsx' }>
  /** The table's name. */
  table: string
  /** What a query sorts by; rows that are equal in it are sorted by id, in the same direction. */
  order(query: ListQuery): { sort: string; direction: 'asc' | 'desc' }
  /** One page of the visible rows that match; `select` says which columns and references. */
  page<O>(ctx: C, query: ListQuery, select: (ctx: C) => SelectQueryBuilder<any, any, O>): Promise<Page<O>>
  /** How many match, by status, and how many of those are the actor's. */
  counts(ctx: C, query: ListQuery): Promise<Counted[]>
  /** The conditions of a query, for lists of another shape (boards, exports). */
  conditions(ctx: C, query: ListQuery): RawBuilder<SqlBool>[]
}

export function listing<C extends BaseCtx, F extends Filters, const S extends string>(
  of: Listed<C>,
  spec: ListingSpec<F, S>,
): Listing<C> {
  const { table } = of
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const filters = spec.filters ?? ({} as F)
  const blankIsAbsent = (value: unknown) =>
    value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).filter(([, given]) => given !== '')) : value

  const asked = {
    ...Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, schema.optional()])),
    ...(spec.search
      ? {
          search: z
            .string()
            .trim()
            .max(200)
            .transform((term) => term.replace(/\s+/g, ' '))
            .optional(),
        }
      : {}),
    ...(spec.hardDeleted ? {} : { trashed: Trashed.optional() }),
  }
  const statsQuery = z.preprocess(blankIsAbsent, z.object(asked)) as unknown as z.ZodType<ListQuery>
  const sorted = {
    ...asked,
    sort: z.enum(spec.sorts as readonly [S, ...S[]], `Must be one of ${spec.sorts.join(', ')}.`).optional(),
    direction: z.enum(['asc', 'desc'], 'Must be asc or desc.').optional(),
  }
  const query = z.preprocess(blankIsAbsent, z.object({ ...sorted, ...Paging.shape })) as unknown as z.ZodType<ListQuery>
  const format = z.enum(['csv', 'xlsx'], 'Must be csv or xlsx.').default('csv')
  const exportQuery = z.preprocess(blankIsAbsent, z.object({ ...sorted, format })) as unknown as Listing['exportQuery']

  const order = (query: ListQuery) => ({
    sort: query.sort ?? spec.defaultSort ?? 'created_at',
    direction: query.direction ?? (query.sort ? 'asc' : (spec.defaultDirection ?? 'desc')),
  })

  const active = (query: ListQuery) => Object.entries(filters).filter(([name]) => query[name] !== undefined)

  function conditions(ctx: C, query: ListQuery): RawBuilder<SqlBool>[] {
    const all: (RawBuilder<SqlBool> | undefined)[] = [of.within(ctx), of.scope(ctx)]
    if (!spec.hardDeleted && query.trashed === undefined) all.push(sql`${column('deleted_at')} is null`)
    else if (query.trashed === 'true' || query.trashed === 'only') all.push(sql`${column('deleted_at')} is not null`)
    for (const [name, { where }] of active(query)) all.push(where(ctx, query[name], column))
    if (query.search) all.push(matching(query.search))
    const some = all.filter((condition) => condition !== undefined)
    return some.length ? some : [sql`true`]
  }

  function matching(term: string): RawBuilder<SqlBool> {
    if (spec.search === true) return sql`${column('id')} in (select ${sql.id('app', `search_${table}`)}(${term}))`
    const pattern = `%${term.replace(/[\\%_]/g, '\\$&')}%`
    return sql`(${sql.join(
      (spec.search ?? []).map((name) => sql`${column(name)} ilike ${pattern}`),
      sql` or `,
    )})`
  }

  /** Counts the way that costs least: from the tallies when every condition is on what they keep, else by reading the rows. */
  async function counts(ctx: C, query: ListQuery): Promise<Counted[]> {
    const kept = of.tallied
    const scoped = of.scope(ctx) !== undefined
    const tallied =
      kept &&
      !query.search &&
      (!scoped || (kept.includes('assigned_to') && of.scopedByAssignee)) &&
      active(query).every(([, f]) => f.column && kept.includes(f.column))
    const { actor, tenant } = ctx as unknown as Ctx
    const mine = actor?.id ?? null
    if (!tallied) {
      const status = kept?.includes('status') ? column('status') : sql`null::text`
      const { rows } = await sql<Counted>`
        select ${status} as status, count(*)::int as total, ${kept?.includes('assigned_to') ? sql`count(*) filter (where ${column('assigned_to')} = ${mine})` : sql`0`}::int as mine
        from ${sql.table(table)} where ${sql.join(conditions(ctx, query), sql` and `)} group by 1`.execute(ctx.tx)
      return rows
    }
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

  return {
    query,
    statsQuery,
    exportQuery,
    table,
    order,
    conditions,
    counts,
    async page(ctx, query, select) {
      const { sort, direction } = order(query)
      const sorted = select(ctx)
        .where(sql.join<SqlBool>(conditions(ctx, query), sql` and `))
        .orderBy(sql`${column(sort)} ${sql.raw(direction)}, ${column('id')} ${sql.raw(direction)}`)
        // Literal, and no offset on the first page: a prepared plan that can't see them expects to read a tenth of the table,
        // and PostgreSQL would rather plan anew each time.
        .limit(sql.lit(query.per_page))
      const rows = (query.page === 1 ? sorted : sorted.offset((query.page - 1) * query.per_page)).execute()
      const [page, counted] = await Promise.all([rows, counts(ctx, query)]) // both are on the wire at once
      return { rows: page, total: counted.reduce((sum, { total }) => sum + total, 0) }
    },
  }
}
