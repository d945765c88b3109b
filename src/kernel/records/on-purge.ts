/** What becomes of a reference whose record is deleted for good: the row that holds it stays, and lets go of it. */
import { sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { type Listener, on } from '../modules/events.ts'
import { subjectOf } from '../modules/subjects.ts'
import type { SubjectType } from '../names.ts'
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
    if (!column) return
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = null
      where tenant_id = ${ctx.tenant.id} and ${sql.ref(column)} = ${id}`.execute(ctx.tx)
  })

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
