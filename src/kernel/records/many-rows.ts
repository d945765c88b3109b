/** Inserts many rows of a table per statement, for imports and demo data. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import type { DB } from '../database/tables.ts'

/** Names of workspace tables. */
export type Table = { [T in keyof DB]: DB[T] extends { tenant_id: unknown } ? T : never }[keyof DB]

/** Columns of a new row; `tenant_id` is added. */
export type NewRow<T extends Table> = Omit<Insertable<DB[T]>, 'tenant_id'>

const CHUNK = 5000

/** Inserts rows with the same columns, 5,000 per statement, and returns their ids in order. Types come from the table. */
export const insertRows = async <T extends Table>(ctx: Ctx, table: T, rows: NewRow<T>[]): Promise<number[]> =>
  (await insertChunks(ctx, table, rows, ['id'])).map((row) => row.id as number)

/** As `insertRows`, but returns the given columns. */
export const insertTold = <T extends Table, C extends keyof DB[T] & string>(ctx: Ctx, table: T, rows: NewRow<T>[], told: C[]) =>
  insertChunks(ctx, table, rows, told) as Promise<Selectable<Pick<DB[T], C>>[]>

/** Inserts rows and returns nothing, also for tables without an id. */
export async function insertAll<T extends Table>(ctx: Ctx, table: T, rows: NewRow<T>[]) {
  await insertChunks(ctx, table, rows, ['tenant_id'])
}

async function insertChunks<T extends Table>(ctx: Ctx, table: T, rows: NewRow<T>[], answer: string[]) {
  if (!rows.length) return []
  const columns = Object.keys(rows[0]!)
  const chunks = Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, n) => rows.slice(n * CHUNK, (n + 1) * CHUNK))
  const inserted = chunks.map((chunk) =>
    sql<Record<string, unknown>>`
      insert into ${sql.table(table)} (tenant_id, ${sql.join(columns.map((column) => sql.ref(column)))})
      select ${ctx.tenant.id}::bigint, ${sql.join(columns.map((column) => sql.ref(`given.${column}`)))}
      from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(chunk)}::json) given
      returning ${sql.join(answer.map((column) => sql.ref(column)))}`.execute(ctx.tx),
  )
  return (await allPipelined(...inserted)).flatMap(({ rows }) => rows)
}
