/** Many rows of a table in one statement: imports and demo data. */
import { type Insertable, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import type { DB } from '../database/tables.ts'

export type Table = { [T in keyof DB]: DB[T] extends { tenant_id: unknown } ? T : never }[keyof DB]

export type NewRow<T extends Table> = Omit<Insertable<DB[T]>, 'tenant_id'>

const CHUNK = 5000

/** Inserts rows of the same columns, 5,000 a statement, and answers their ids in the same order. The table gives the types. */
export const insertRows = <T extends Table>(ctx: Ctx, table: T, rows: NewRow<T>[]): Promise<number[]> =>
  insertChunks(ctx, table, rows, 'id')

/** Inserts rows and answers nothing: also for tables whose rows have no id. */
export async function insertAll<T extends Table>(ctx: Ctx, table: T, rows: NewRow<T>[]) {
  await insertChunks(ctx, table, rows, 'tenant_id')
}

async function insertChunks<T extends Table>(ctx: Ctx, table: T, rows: NewRow<T>[], answer: string): Promise<number[]> {
  if (!rows.length) return []
  const columns = Object.keys(rows[0]!)
  const chunks = Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, n) => rows.slice(n * CHUNK, (n + 1) * CHUNK))
  const inserted = chunks.map((chunk) =>
    sql<{ answer: number }>`
      insert into ${sql.table(table)} (tenant_id, ${sql.join(columns.map((column) => sql.ref(column)))})
      select ${ctx.tenant.id}::bigint, ${sql.join(columns.map((column) => sql.ref(`given.${column}`)))}
      from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(chunk)}::json) given
      returning ${sql.ref(answer)} as answer`.execute(ctx.tx),
  )
  return (await Promise.all(inserted)).flatMap((result) => result.rows.map((row) => row.answer))
}
