/** Boards: a list's rows in columns, one per status or stage, under the list's own filters and visibility. */
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import { type Listing, type ListQuery, sortingOf } from './listing.ts'
import { type ColumnOf, selectionOf, type View } from './view.ts'

/** Values out of range are rejected here, while a list clamps `per_page`. */
const PER_COLUMN = 'Must be a whole number from 1 to 100.'
const perColumn = z.coerce.number(PER_COLUMN).int(PER_COLUMN).min(1, PER_COLUMN).max(100, PER_COLUMN).default(50)

export interface BoardColumn<V extends View, Sum extends string> {
  /** Total number of rows in this column. */
  count: number
  /** Exact sums over all rows of the column, as decimal strings. */
  sums: Record<Sum, string>
  /** First rows of the column, in the list's order. */
  rows: z.output<V>[]
}

export interface Board<V extends View, Sum extends string> {
  /** Schema of the list's filters and sort, and `per_column`. */
  query: z.core.$ZodType<ListQuery & { per_column: number }>
  /** Returns one column per key, in the order of the keys. */
  read(ctx: Ctx, query: ListQuery & { per_column: number }, keys: readonly (string | number)[]): Promise<BoardColumn<V, Sum>[]>
}

/**
 * Defines a board. `by` is the table's column that determines a row's board column; `sums` names amounts to add up per board
 * column.
 */
export function boardOf<V extends View, const Sum extends ColumnOf<V> = never>(
  list: Listing<V, Ctx>,
  { by, sums = [] }: { by: ColumnOf<V>; sums?: readonly Sum[] },
): Board<V, Sum> {
  const { table, item } = list.of
  const at = (column: string) => sql.ref(`${table}.${column}`)
  type Counted = { key: string | number; count: number } & Record<Sum, string>
  const isCounted = by === 'status' && !sums.length && list.of.tallied?.includes('status') // then the tallies may have the counts
  return {
    query: list.queryWith({ per_column: perColumn }),
    async read(ctx, query, keys) {
      const among = list.condition(ctx, query)
      const sorting = sortingOf(list.of, list.order(query))
      const { columns, joins } = selectionOf(ctx, item, table)
      const figures = sums.map((name) => sql`, coalesce(sum(${at(name)}), 0)::text as ${sql.id(name)}`)
      const [counted, shown] = await allPipelined(
        isCounted
          ? list.counts(ctx, query).then((all) => all.map(({ status, total }) => ({ key: status, count: total }) as Counted))
          : sql<Counted>`
              select ${at(by)} as key, count(*)::int as count ${sql.join(figures, sql``)}
              from ${sql.table(table)} where ${among} group by 1`
              .execute(ctx.tx)
              .then(({ rows }) => rows),
        sql<{ rows: z.output<V>[] }>`
          select (select coalesce(json_agg(row_to_json(shown)), '[]') from (
            select ${columns} from (
              select * from ${sql.table(table)} where ${among} and ${at(by)} = board.key
              order by ${sorting} limit ${sql.lit(query.per_column)}
            ) as ${sql.id(table)} ${joins} order by ${sorting}
          ) shown) as rows
          from unnest(${keysOf(keys)}) with ordinality board (key, place) order by board.place`.execute(ctx.tx),
      )
      const figuresOf = new Map(counted.map((row) => [row.key, row]))
      return keys.map((key, n) => {
        const of = figuresOf.get(key)
        const added = Object.fromEntries(sums.map((name) => [name, of?.[name] ?? '0'])) as Record<Sum, string>
        return { count: of?.count ?? 0, sums: added, rows: shown.rows[n]!.rows }
      })
    },
  }
}

const keysOf = (keys: readonly (string | number)[]): RawBuilder<unknown> =>
  typeof keys[0] === 'number' ? sql`${keys}::bigint[]` : sql`${keys}::text[]`
