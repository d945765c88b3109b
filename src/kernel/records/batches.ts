/** Reads a full list in batches, each in a short transaction of its own, with constant memory: for exports and digests. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '../context.ts'
import { inSlices } from '../loop-slices.ts'
import { type Listing, type ListQuery, sortKey } from './listing.ts'
import { gather, selectionOf, type View } from './view.ts'

/** Maximum number of rows per batch, and of the first batch, whose row sizes are unknown. */
const BATCH = 500
const FIRST = 5
/** Target size of a batch in characters of JSON: a row may have a few hundred or half a million. */
const CHARACTERS = 4_000_000

/**
 * A row and its position: its sort column as text from PostgreSQL (instants have more digits there than in JavaScript), and its
 * id.
 */
interface Placed {
  json: unknown
  place: string | null
  id: number
  [unfinished: string]: unknown
}

/** Opens the transaction of a batch and passes its ctx: `steps.read` of a multi-transaction route or job. */
type Run = <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>

/**
 * Yields the matching rows, rendered by a view, in the list's order, under its filters and scope. A row whose position changes
 * meanwhile may come twice or not at all; an unchanged row comes exactly once. Ending the iteration ends the reading.
 */
export async function* batches<V extends View>(
  list: Listing<View, Ctx>,
  query: ListQuery,
  run: Run,
  view: V,
  size = BATCH,
): AsyncGenerator<z.output<V>[]> {
  const { table } = list.of
  const { by, direction } = list.order(query)
  if (by.length > 1) throw new Error(`Rows of ${table} that are sorted by several columns can't be read in batches`)
  const column = sortKey(list.of, by[0]!)
  const id = sql.ref(`${table}.id`)
  const order = sql`${column} ${sql.raw(direction)}, ${id} ${sql.raw(direction)}`

  let most = Math.min(size, FIRST)
  const read = (behind: RawBuilder<SqlBool>[]) =>
    run(async (ctx) => {
      const { columns, joins, unfinished, gathered } = selectionOf(ctx, view, table)
      const apart = unfinished.map(({ name, value }) => sql`, ${value} as ${sql.id(`of_${name}`)}`)
      const conditions = sql.join([list.condition(ctx, query), ...behind], sql` and `)
      const { rows } = await sql<Placed>`
        select (select row_to_json(shown)::text from (select ${columns}) shown) as json, ${column}::text as place, ${id} as id ${sql.join(apart, sql``)}
        from (select * from ${sql.table(table)} where ${conditions} order by ${order} limit ${sql.lit(most)}) as ${sql.id(table)}
        ${joins} order by ${order}`.execute(ctx.tx)
      const ids = rows.map(({ id }) => id)
      const more = gathered.length ? await gather(ctx, gathered, ids) : () => ({})
      let characters = 1
      await inSlices(ctx.tenant.id, rows, (row) => {
        characters += (row.json as string).length
        row.json = JSON.parse(row.json as string)
        Object.assign(row.json as object, more(row.id))
        for (const { name, finish } of unfinished)
          (row.json as Record<string, unknown>)[name] = finish(row[`of_${name}`], ctx, undefined)
      })
      const isFull = rows.length === most
      if (rows.length) most = Math.min(size, Math.max(1, Math.floor((rows.length * CHARACTERS) / characters)))
      return { rows, isFull }
    })

  // PostgreSQL sorts nulls last when ascending and first when descending. Rows with and without a value are read separately,
  // because a condition that covers both can't use an index.
  const isSecondKind = ({ place }: Placed) => (place === null) === (direction === 'asc')
  const secondKind = direction === 'asc' ? sql<SqlBool>`${column} is null` : sql<SqlBool>`${column} is not null`
  let behind: RawBuilder<SqlBool>[] = []
  for (let inSecondKind = false; ; ) {
    const { rows, isFull } = await read(behind)
    const last = rows.at(-1)
    if (last) {
      yield rows.map(({ json }) => json as z.output<V>)
      inSecondKind = isSecondKind(last)
    }
    if (last && isFull) behind = [after(column, id, direction, last)]
    else if (!behind.length || inSecondKind) return
    else {
      behind = [secondKind]
      inSecondKind = true
    }
  }
}

/** Condition for the rows after a row, among those with the same nullness. */
function after(
  column: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
  direction: 'asc' | 'desc',
  last: Placed,
): RawBuilder<SqlBool> {
  const isAfter = sql.raw(direction === 'asc' ? '>' : '<')
  return last.place === null
    ? sql`${column} is null and ${id} ${isAfter} ${last.id}`
    : sql`(${column}, ${id}) ${isAfter} (${last.place}, ${last.id})`
}
