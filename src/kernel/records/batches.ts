/** A list read to its end in batches, each a short transaction of its own: for exports and digests, at constant memory. */
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { BaseCtx } from '../context.ts'
import type { Listing, ListQuery } from './listing.ts'

const BATCH = 500

/** Where a batch ended: the sort column as PostgreSQL writes it (an instant has more digits there than here), and the id. */
interface Last {
  batch_sort: string | null
  batch_id: number
}

/**
 * The rows that match, in the list's own order, batch after batch; `run` opens the transaction of a batch and gives its ctx.
 * A row that moves in the order meanwhile may come twice or not at all; one that stays comes once. Breaking off ends the reading.
 */
export async function* batches<C extends BaseCtx, O>(
  list: Listing<C>,
  query: ListQuery,
  run: <T>(work: (ctx: C) => Promise<T>) => Promise<T>,
  select: (ctx: C) => SelectQueryBuilder<any, any, O>,
  size = BATCH,
): AsyncGenerator<O[]> {
  const { sort, direction } = list.order(query)
  const column = sql.ref(`${list.table}.${sort}`)
  const id = sql.ref(`${list.table}.id`)
  const by = sql.raw(direction)
  let last: Last | undefined
  do {
    const rows: (O & Last)[] = await run((ctx) => {
      const all = [...list.conditions(ctx, query), ...(last ? [behind(column, id, direction, last)] : [])]
      return select(ctx)
        .select([sql<string | null>`${column}::text`.as('batch_sort'), sql<number>`${id}`.as('batch_id')])
        .where(sql.join<SqlBool>(all, sql` and `))
        .orderBy(sql`${column} ${by}, ${id} ${by}`)
        .limit(sql.lit(size))
        .execute() as Promise<(O & Last)[]>
    })
    last = rows.length === size ? rows.at(-1) : undefined
    if (rows.length) yield rows
  } while (last)
}

/** The rows behind one, where PostgreSQL puts nulls: last when ascending, first when descending. */
function behind(
  column: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
  direction: 'asc' | 'desc',
  last: Last,
): RawBuilder<SqlBool> {
  const { batch_sort, batch_id } = last
  if (direction === 'asc')
    return batch_sort === null
      ? sql`${column} is null and ${id} > ${batch_id}`
      : sql`((${column}, ${id}) > (${batch_sort}, ${batch_id}) or ${column} is null)`
  return batch_sort === null
    ? sql`(${column} is not null or ${id} < ${batch_id})`
    : sql`(${column}, ${id}) < (${batch_sort}, ${batch_id})`
}
