/** What becomes of a reference whose record is deleted for good: the row that holds it stays, and lets go of it. */
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import type { DB } from '../database/tables.ts'
import { type Listener, on } from '../modules/events.ts'
import { subjectOf } from '../modules/subjects.ts'
import type { SubjectType } from '../names.ts'
import { resources } from './resource.ts'
import { type Changed, writeActivities } from './timeline.ts'
import type { TableName } from './view.ts'

/**
 * A listener that empties columns of a table: `nullifyOnPurge('contacts', { companies: 'company_id' })` says that `company_id` names a row of
 * companies.
 */
export const nullifyOnPurge = <const T extends TableName>(
  table: T,
  columns: { [target in TableName]?: keyof DB[T] & string },
): Listener<'record.purged'> =>
  on('record.purged', async (ctx, { table: purged, id }) => {
    const column = columns[purged as TableName] as string | undefined
    if (column) await emptyReferences(ctx, table, column as never, id)
  })

/** Entries of the timeline that one statement writes. */
const BATCH = 1000

/** Empties a column where it names this id. What records lose by that is told of each, as their next revision. */
export async function emptyReferences<T extends TableName>(ctx: Ctx, table: T, column: keyof DB[T] & string, id: number) {
  const names = sql`${sql.ref(`${table}.tenant_id`)} = ${ctx.tenant.id} and ${sql.ref(`${table}.${column}`)} = ${id}`
  const of = resources.find((one) => one.table === table)
  if (!of) {
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = null where ${names}`.execute(ctx.tx)
    return
  }
  const changed: Changed = of.historyFields.has(column) ? { [column]: [id, null] } : {}
  const { rows } = await sql<{ id: number; revision: number }>`
    update ${sql.table(table)} set ${sql.ref(column)} = null, updated_at = ${ctx.now}, revision = revision + 1
    where ${names} returning id, revision`.execute(ctx.tx)
  for (const row of rows) ctx.revised?.(table, row)
  for (let n = 0; n < rows.length; n += BATCH)
    await writeActivities(
      ctx,
      rows.slice(n, n + BATCH).map((row) => ({ table, id: row.id, type: 'updated', properties: { fields: [column] }, changed })),
    )
}

/**
 * A listener for tables of links that name records by type and id: the links go with the record. `columns` are those that hold the
 * two: `deleteLinksOnPurge('document_links', linkTypes, { type: 'type', id: 'subject_id' })`.
 */
export const deleteLinksOnPurge = <const T extends TableName>(
  links: T,
  types: readonly SubjectType[],
  columns: { type: keyof DB[T] & string; id: keyof DB[T] & string },
): Listener<'record.purged'> =>
  on('record.purged', async (ctx, { table, id }) => {
    const type = types.find((one) => subjectOf(ctx, one)?.table === table)
    if (!type) return
    await sql`
      delete from ${sql.table(links)} where tenant_id = ${ctx.tenant.id}
        and ${sql.ref(columns.type)} = ${type} and ${sql.ref(columns.id)} = ${id}`.execute(ctx.tx)
  })
