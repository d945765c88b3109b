/** Cleans up references to a purged record: referencing rows remain, and their columns become null. */
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
 * Returns a listener that nulls references: `nullifyOnPurge('contacts', { companies: 'company_id' })` for a `company_id` that
 * references companies.
 */
export const nullifyOnPurge = <const T extends TableName>(
  table: T,
  columns: { [target in TableName]?: keyof DB[T] & string },
): Listener<'record.purged'> =>
  on('record.purged', async (ctx, { table: purged, id }) => {
    const column = columns[purged as TableName] as string | undefined
    if (column) await emptyReferences(ctx, table, column as never, id)
  })

/** Timeline entries per statement. */
const BATCH = 1000

/** Sets a column to null where it has this id. If the table holds records, each one gets a new revision and a timeline entry. */
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
 * Returns a listener for link tables that reference records by type and id: the links are deleted with the record. `columns` are
 * the two columns: `deleteLinksOnPurge('document_links', linkTypes, { type: 'type', id: 'subject_id' })`.
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
