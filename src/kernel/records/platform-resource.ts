/** Records of the platform (workspaces, operators, catalogue entries): found, locked, shown, saved, soft-deleted, restored, deleted for good. */
import { type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { PlatformCtx } from '../context.ts'
import type { DB } from '../database/tables.ts'
import { refuseTaken, refuseUsed, type Taken } from '../database/violations.ts'
import { badRequest, notFound } from '../errors.ts'
import { lockOperator } from '../tenancy/operator-lock.ts'
import { changedFields } from './changes.ts'
import { type Listed, platformTable } from './listing.ts'
import { describeRecord, exactColumns, type JsonText, readOne, type View } from './view.ts'

/** Tables of the platform that hold records. */
export type PlatformTable = {
  [T in keyof DB]: DB[T] extends { tenant_id: unknown }
    ? never
    : DB[T] extends { id: unknown; revision: unknown; deleted_at: unknown }
      ? T
      : never
}[keyof DB]

type Row<T extends PlatformTable> = Selectable<DB[T]>
type Given = 'id' | 'uuid' | 'created_at' | 'updated_at' | 'deleted_at' | 'revision'

interface Spec<T extends PlatformTable, Item extends View, Detail extends View> {
  table: T
  /** In messages, and the field that a refused deletion names: 'workspace'. */
  noun: string
  /** What a list shows of a record. */
  item: Item
  /** What its own page shows; the same where not given. */
  detail?: Detail
  /** The column that people know a record by. Default: name. */
  title?: keyof DB[T] & string
  /** Unique constraints and the input that each is about. */
  unique?: Taken
  /** Which rows of the table these are; all of them where not given. */
  only?: (as: string) => RawBuilder<SqlBool>
}

export interface PlatformResource<T extends PlatformTable = any, Item extends View = any, Detail extends View = any> {
  table: T
  noun: string
  item: Item
  detail: Detail
  /** For `listing()`. */
  listed: Listed<Item>
  /** The live record; 404 when there is none. */
  find(ctx: PlatformCtx, id: number): Promise<Row<T>>
  /** The live record, locked until the transaction ends; 404 otherwise. */
  lock(ctx: PlatformCtx, id: number): Promise<Row<T>>
  /** Locked, soft-deleted or not: for restore and force. */
  lockAny(ctx: PlatformCtx, id: number): Promise<Row<T>>
  /** The live record's detail view; 404 otherwise. */
  show(ctx: PlatformCtx, id: number): Promise<JsonText>
  /** The detail view of a record that this transaction has just written, whatever it has become. */
  shown(ctx: PlatformCtx, id: number): Promise<JsonText>
  insert(ctx: PlatformCtx, values: Omit<Insertable<DB[T]>, Given>): Promise<Row<T>>
  /** Saves what differs, as the next revision; nothing changed: nothing is written. */
  save(ctx: PlatformCtx, row: Row<T>, changes: Partial<Omit<Row<T>, Given>>): Promise<Row<T>>
  /** Soft-deletes. */
  trash(ctx: PlatformCtx, row: Row<T>): Promise<Row<T>>
  /** Undoes the soft delete; 400 on a live record. */
  restore(ctx: PlatformCtx, row: Row<T>): Promise<Row<T>>
  /** Deletes for good; 400 on a live record (CONV-05), 422 on the noun while something uses it. */
  force(ctx: PlatformCtx, row: Row<T>): Promise<void>
}

type Common = { id: number; deleted_at: string | null }

export function platformResource<const T extends PlatformTable, Item extends View, Detail extends View = Item>(
  spec: Spec<T, Item, Detail>,
): PlatformResource<T, Item, Detail> {
  const { table, noun, item, unique } = spec
  const detail = spec.detail ?? (item as unknown as Detail)
  for (const shown of new Set<View>([item, detail])) describeRecord(shown, { table, title: spec.title ?? 'name' })
  const exact = [...new Set([...exactColumns(item), ...exactColumns(detail)])]
  const only = spec.only?.(table)
  const named = (id: number) => sql<SqlBool>`${sql.ref(`${table}.id`)} = ${id}${only ? sql` and ${only}` : sql``}`
  const live = (id: number) => sql<SqlBool>`${named(id)} and ${sql.ref(`${table}.deleted_at`)} is null`

  async function read({ tx }: PlatformCtx, conditions: RawBuilder<SqlBool>, lock: boolean): Promise<Row<T>> {
    const { rows } = await sql<Row<T>>`
      select * from ${sql.table(table)} where ${conditions} ${lock ? sql`for update` : sql``}`.execute(tx)
    if (!rows[0]) throw notFound(`There is no such ${noun}.`)
    return rows[0]
  }
  async function locked(ctx: PlatformCtx, id: number, conditions: RawBuilder<SqlBool>) {
    if (table === 'platform_users') await lockOperator(ctx, id)
    return read(ctx, conditions, true)
  }
  const view = (ctx: PlatformCtx, conditions: RawBuilder<SqlBool>) =>
    readOne(ctx, detail, table, conditions, { noun, revised: true })

  async function write({ tx, now }: PlatformCtx, row: Row<T>, changes: Record<string, unknown>): Promise<Row<T>> {
    const saved = (tx as any)
      .updateTable(table)
      .set({ ...changes, updated_at: now, revision: sql`revision + 1` })
      .where('id', '=', (row as unknown as Common).id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return saved.catch(refuseTaken(unique))
  }

  return {
    table,
    noun,
    item,
    detail,
    listed: { ...platformTable(table, item), scope: () => only },
    find: (ctx, id) => read(ctx, live(id), false),
    lock: (ctx, id) => locked(ctx, id, live(id)),
    lockAny: (ctx, id) => locked(ctx, id, named(id)),
    show: (ctx, id) => view(ctx, live(id)),
    shown: (ctx, id) => view(ctx, named(id)),
    insert: ({ tx, now }, values) =>
      (tx as any)
        .insertInto(table)
        .values({ ...values, created_at: now, updated_at: now })
        .returningAll()
        .executeTakeFirstOrThrow()
        .catch(refuseTaken(unique)),
    async save(ctx, row, sent) {
      const changes = changedFields(row as object, sent as object, exact)
      return Object.keys(changes).length ? write(ctx, row, changes as Record<string, unknown>) : row
    },
    trash: (ctx, row) => write(ctx, row, { deleted_at: ctx.now }),
    async restore(ctx, row) {
      if ((row as unknown as Common).deleted_at === null) throw badRequest(`This ${noun} is not deleted.`)
      return write(ctx, row, { deleted_at: null })
    },
    async force({ tx }, row) {
      const { id, deleted_at } = row as unknown as Common
      if (deleted_at === null) throw badRequest(`Delete the ${noun} first; only deleted ones can be removed for good.`)
      await sql`delete from ${sql.table(table)} where id = ${id}`.execute(tx).catch(refuseUsed(noun))
    },
  }
}
