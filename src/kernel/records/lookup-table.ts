/**
 * Small tables: categories, stages, tags, reasons, roles. Few rows of a workspace, in an order, some of them protected, deleted for
 * good at once and only while nothing uses them.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import type { DB } from '../database/tables.ts'
import { refuseTaken, refuseUsed, type Taken } from '../database/violations.ts'
import { changedFields } from './changes.ts'
import { type New, type Row, readRow, writeRow } from './resource.ts'
import { describeRecord, exactColumns, type JsonText, readOne, type TableName, type View } from './view.ts'

/** Tables of a workspace whose rows are found by an id or a uuid. */
export type LookupTableName = {
  [T in keyof DB]: DB[T] extends { tenant_id: unknown; revision: unknown; created_at: unknown } ? T : never
}[keyof DB]
type Columns<T extends TableName> = Partial<New<T>>

export interface LookupTable<T extends LookupTableName = any, V extends View = any> {
  table: T
  noun: string
  item: V
  /** What its own page shows. */
  detail: View
  key: 'id' | 'uuid'
  /** The column that people know a row by. */
  title: string
  /** A column within whose values a title names one row. */
  titledWithin?: string
  /** What its list may be asked as those of records are; who is named by a uuid shows no id. */
  asked: readonly ('ids' | 'updated_since')[]
  within(ctx: Ctx): RawBuilder<SqlBool>
  scope(ctx: Ctx): RawBuilder<SqlBool> | undefined
  /** 404 outside the workspace and the actor's sight. */
  find(ctx: Ctx, key: number | string): Promise<Row<T>>
  lock(ctx: Ctx, key: number | string): Promise<Row<T>>
  /** One row, as its own page shows it. */
  show(ctx: Ctx, key: number | string): Promise<JsonText>
  insert(ctx: Ctx, values: Columns<T>): Promise<Row<T>>
  /** Saves what differs; nothing changed: nothing is written. */
  save(ctx: Ctx, row: Row<T>, changes: Partial<Row<T>>): Promise<Row<T>>
  /** Deletes for good. 422 on the noun while something uses it. */
  remove(ctx: Ctx, row: Row<T>): Promise<void>
}

interface Spec<T extends LookupTableName, V extends View> {
  table: T
  /** In messages, and the field that a refused deletion names. */
  noun: string
  item: V
  /** What its own page shows. Default: the same as a list. */
  detail?: View
  /** The rows that the actor sees. Default: all of the workspace. */
  scope?: (ctx: Ctx) => RawBuilder<SqlBool> | undefined
  /** By what the routes name a row. Default: id. */
  key?: 'id' | 'uuid'
  unique?: Taken
  /** The column that people know a row by; null: the API documents don't tell of a kind of record. Default: name. */
  title?: (keyof DB[T] & string) | null
  /** A column within whose values a title names one row: files say it behind a title that several have, `Other (check_out)`. */
  titledWithin?: keyof DB[T] & string
}

/** Those that the loaded modules have declared, whatever workspace has them. */
export const lookupTables: LookupTable[] = []

export function lookupTable<const T extends LookupTableName, V extends View>(spec: Spec<T, V>): LookupTable<T, V> {
  const { table, noun, item, detail = item, title = 'name', scope = () => undefined, key = 'id', unique } = spec
  if (title) for (const shown of new Set<View>([item, detail])) describeRecord(shown, { table, title })
  const at = (column: string) => sql.ref(`${table}.${column}`)
  const within = (ctx: Ctx) => sql<SqlBool>`${at('tenant_id')} = ${ctx.tenant.id}`
  const named = (ctx: Ctx, value: unknown) => {
    const seen = scope(ctx)
    return sql.join([within(ctx), sql`${at(key)} = ${value}`, ...(seen ? [seen] : [])], sql` and `)
  }
  const exact = exactColumns(item)
  const keyOf = (row: object) => (row as Record<string, unknown>)[key]

  const of: LookupTable<T, V> = {
    table,
    noun,
    item,
    detail,
    key,
    asked: key === 'id' ? ['ids', 'updated_since'] : ['updated_since'],
    title: title ?? 'name',
    titledWithin: spec.titledWithin,
    within,
    scope,
    find: (ctx, value) => readRow(ctx, table, named(ctx, value), { noun }),
    lock: (ctx, value) => readRow(ctx, table, named(ctx, value), { noun, lock: true }),
    show: (ctx, value) => readOne(ctx, detail, table, named(ctx, value), { noun, revised: true }),
    insert: (ctx, values) =>
      (ctx.tx as any)
        .insertInto(table)
        .values({ ...values, tenant_id: ctx.tenant.id, created_at: ctx.now, updated_at: ctx.now })
        .returningAll()
        .executeTakeFirstOrThrow()
        .catch(refuseTaken(unique)),
    async save(ctx, row, sent) {
      const changes = changedFields(row as object, sent, exact)
      return Object.keys(changes).length ? writeRow(ctx, table, key, row, changes, unique) : row
    },
    async remove(ctx, row) {
      await sql`delete from ${sql.table(table)} where ${named(ctx, keyOf(row as object))}`.execute(ctx.tx).catch(refuseUsed(noun))
    },
  }
  if (title) lookupTables.push(of)
  return of
}
