/**
 * Long texts in pages of entries (notes, timelines): a page keeps its rows, so that page numbers stay true, and its texts are bounded before they are
 * read. Beyond the budget, rows carry the beginning of their texts and `is_truncated`; each is whole at its own address.
 */
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../context.ts'

/** Bytes of texts that a page carries whole; for an agent, which is shown a part of them. */
const BUDGET = 1_000_000
const BUDGET_OF_AGENT = 100_000
/** Characters that a later row carries. */
export const TRUNCATED_LENGTH = 2000

/** A field of rows whose texts may be cut. */
export const isTruncated = () =>
  z
    .boolean()
    .optional()
    .meta({
      description: `Long texts are cut in this row, to some ${TRUNCATED_LENGTH} characters: the page has more than 1 MB of texts before it. The row's own address has them whole. Missing otherwise.`,
    })

/**
 * Rows of a page that are in scope as `as`, in their order, with `is_truncated`: more than the budget was carried before a row ends, and it is long.
 * `bytes` is a row's length.
 */
export const withinBudget = (ctx: Ctx, rows: RawBuilder<unknown>, as: string, bytes: RawBuilder<unknown>) => sql`(
  select sized.*, bytes > ${sql.lit(TRUNCATED_LENGTH)} and sum(bytes) over (order by created_at desc, id desc) > ${
    ctx.request.client === null ? sql.lit(BUDGET) : sql.lit(BUDGET_OF_AGENT)
  } as is_truncated
  from (select ${sql.id(as)}.*, ${bytes} as bytes from (${rows}) ${sql.id(as)}) sized
) ${sql.id(as)}`

/** The JSON text of a row in scope as `row`, marked where its texts are cut. */
export const markedJson = (row: string, flag: RawBuilder<unknown>) => sql<string>`
  case when ${flag} then left(row_to_json(${sql.id(row)})::text, -1) || ',"is_truncated":true}' else row_to_json(${sql.id(row)})::text end`

/** JSON texts of the rows of a query, in its order, as the text of a list. */
export const listOf = (rows: RawBuilder<unknown>) =>
  sql<string>`(select '[' || coalesce(string_agg(entry.json, ','), '') || ']' from (${rows}) entry)`

/** Bytes of a JSON object that is stored. Nothing is added to it, which gives it as it is in memory: as it is stored it may be compressed. */
export const bytesOf = (value: RawBuilder<unknown>) => sql`coalesce(pg_column_size(${value} || '{}'::jsonb), 0)`

/** Elements of a list in a value that is cut, and characters of each. */
const ELEMENTS = 50

/**
 * A JSON object of the database with its texts cut, each to its part of the whole length; what is nested keeps its type. Two levels are
 * kept, and of a list its first elements.
 */
export function shortened(object: RawBuilder<unknown>): RawBuilder<unknown> {
  const leaf = (value: RawBuilder<unknown>, length: RawBuilder<unknown>) => sql`
    case when pg_column_size(${value}) <= ${length} then ${value}
      when jsonb_typeof(${value}) = 'string' then to_jsonb(left(${value} #>> '{}', ${length})) else 'null'::jsonb end`
  const inner = sql.ref('inner_value.value')
  const value = sql.ref('outer_value.value')
  const length = sql.ref('outer_value.length')
  const cut = sql`case
    when pg_column_size(${value}) <= ${length} then ${value}
    when jsonb_typeof(${value}) = 'object' then (
      select coalesce(jsonb_object_agg(inner_value.key, ${leaf(inner, length)}), '{}') from (
        select * from jsonb_each(${value}) limit ${sql.lit(ELEMENTS)}) inner_value)
    when jsonb_typeof(${value}) = 'array' then (
      select coalesce(jsonb_agg(${leaf(inner, sql`case when jsonb_array_length(${value}) > 2 then ${sql.lit(ELEMENTS)} else ${length} end`)} order by n), '[]')
      from jsonb_array_elements(${value}) with ordinality inner_value (value, n) where n <= ${sql.lit(ELEMENTS)})
    else ${leaf(value, length)} end`
  return sql`(
    select coalesce(jsonb_object_agg(outer_value.key, ${cut}), '{}')
    from (
      select key, value, greatest(20, ${sql.lit(TRUNCATED_LENGTH / 2)} / count(*) over ())::int as length from jsonb_each(${object})
    ) outer_value)`
}
