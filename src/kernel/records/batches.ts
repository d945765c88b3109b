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
  const read = (behind: RawBuilder<SqlBool>[]) =>
    run(
      (ctx) =>
        select(ctx)
          .select([sql<string | null>`${column}::text`.as('batch_sort'), sql<number>`${id}`.as('batch_id')])
          .where(sql.join<SqlBool>([...list.conditions(ctx, query), ...behind], sql` and `))
          .orderBy(sql`${column} ${by}, ${id} ${by}`)
          .limit(sql.lit(size))
          .execute() as Promise<(O & Last)[]>,
    )

  // PostgreSQL sorts nulls last when ascending and first when descending. Rows with and without a value are read one kind after
  // the other, because a condition on both is none that an index can follow.
  const isSecondKind = ({ batch_sort }: Last) => (batch_sort === null) === (direction === 'asc')
  const secondKind = direction === 'asc' ? sql<SqlBool>`${column} is null` : sql<SqlBool>`${column} is not null`
  let behind: RawBuilder<SqlBool>[] = []
  for (let inSecondKind = false; ; ) {
    const rows = await read(behind)
    const last = rows.at(-1)
    if (last) {
      yield rows
      inSecondKind = isSecondKind(last)
    }
    if (last && rows.length === size) behind = [after(column, id, direction, last)]
    else if (!behind.length || inSecondKind) return
    else {
      behind = [secondKind]
      inSecondKind = true
    }
  }
}

/** The rows of the same kind after one. */
function after(column: RawBuilder<unknown>, id: RawBuilder<unknown>, direction: 'asc' | 'desc', last: Last): RawBuilder<SqlBool> {
  const isAfter = sql.raw(direction === 'asc' ? '>' : '<')
  return last.batch_sort === null
    ? sql`${column} is null and ${id} ${isAfter} ${last.batch_id}`
    : sql`(${column}, ${id}) ${isAfter} (${last.batch_sort}, ${last.batch_id})`
}
