/**
 * Limits long texts in pages of entries (notes, timelines). A page keeps its number of rows, so that page numbers stay valid; its
 * texts are limited before they are read. Beyond the budget, rows have truncated texts and `is_truncated`; the route of a single
 * entry returns the full texts.
 */
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../context.ts'

/** Budget of full texts per page in bytes; a smaller one for agents, which are shown only a part of them. */
const BUDGET = 1_000_000
const BUDGET_OF_AGENT = 100_000
/** Maximum length of a row's texts beyond the budget, in characters. */
export const TRUNCATED_LENGTH = 2000

/** Field of rows whose texts may be truncated. */
export const isTruncated = () =>
  z
    .boolean()
    .optional()
    .meta({
      description: `Long texts are cut in this row, to some ${TRUNCATED_LENGTH} characters: the page has more than 1 MB of texts before it. The row's own address has them whole. Missing otherwise.`,
    })

/**
 * Adds `is_truncated` to the rows of a page, aliased `as`, in order: true for long rows at whose end the total size exceeds the
 * budget. `bytes` is the size of a row.
 */
export const withinBudget = (ctx: Ctx, rows: RawBuilder<unknown>, as: string, bytes: RawBuilder<unknown>) => sql`(
  select sized.*, bytes > ${sql.lit(TRUNCATED_LENGTH)} and sum(bytes) over (order by created_at desc, id desc) > ${
    ctx.request.client === null ? sql.lit(BUDGET) : sql.lit(BUDGET_OF_AGENT)
  } as is_truncated
  from (select ${sql.id(as)}.*, ${bytes} as bytes from (${rows}) ${sql.id(as)}) sized
) ${sql.id(as)}`

/** JSON text of a row aliased `row`, with a mark if its texts are truncated. */
export const markedJson = (row: string, flag: RawBuilder<unknown>) => sql<string>`
  case when ${flag} then left(row_to_json(${sql.id(row)})::text, -1) || ',"is_truncated":true}' else row_to_json(${sql.id(row)})::text end`

/** Concatenates the JSON texts of a query's rows, in order, into a JSON array. */
export const listOf = (rows: RawBuilder<unknown>) =>
  sql<string>`(select '[' || coalesce(string_agg(entry.json, ','), '') || ']' from (${rows}) entry)`

/**
 * Size of a stored JSON object in bytes. Concatenating an empty object yields the value in memory: the stored one may be
 * compressed.
 */
export const bytesOf = (value: RawBuilder<unknown>) => sql`coalesce(pg_column_size(${value} || '{}'::jsonb), 0)`

/** Maximum number of elements of a truncated list, and of characters per element. */
const ELEMENTS = 50

/**
 * Truncates the texts of a JSON object, each to its share of the maximum length; nested values keep their type. Keeps two levels,
 * and the first elements of a list.
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
