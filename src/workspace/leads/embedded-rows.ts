/** Rows of a lead embedded in its detail view, each with its own view; at most the newest 100. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { TableName } from '#kernel/records/view.ts'
import { type At, computed, MAX_EMBEDDED, selectionOf, type View } from '#kernel/records/view.ts'

interface Embedding {
  /** Column with the lead's id. */
  by: string
  /** Column that selects the newest rows. */
  newest: string
  /** Sort direction of the result by that column. */
  shown: 'asc' | 'desc'
}

export const embeddedRows = <V extends View>(view: V, table: TableName, { by, newest, shown }: Embedding) =>
  computed(z.array(view), ({ ctx, table: outer }: At) => {
    const { columns, joins } = selectionOf(ctx, view, table)
    const at = (column: string) => sql.ref(`${table}.${column}`)
    const order = shown === 'asc' ? sql`${at(newest)}, ${at('id')}` : sql`${at(newest)} desc, ${at('id')} desc`
    return sql`(select coalesce(json_agg(row_to_json(shown)), '[]') from (
      select ${columns} from (
        select * from ${sql.table(table)} where ${at('tenant_id')} = ${ctx.tenant.id} and ${at(by)} = ${sql.ref(`${outer}.id`)}
        order by ${at(newest)} desc, ${at('id')} desc limit ${MAX_EMBEDDED}
      ) as ${sql.id(table)} ${joins} order by ${order}
    ) shown)`
  })
