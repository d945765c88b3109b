/**
 * What belongs to one user alone (EML-01, EML-02): found by its uuid, within the workspace and the actor's own. Nobody else sees it, not even the
 * owner of the workspace.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { changedFields, type New, type Row, readRow, refuseTaken, type Taken, writeRow } from '#kernel/records/resource.ts'
import type { SmallTableName } from '#kernel/records/small-table.ts'
import { describeRecord, type JsonText, readOne, type View } from '#kernel/records/view.ts'

type PersonalTable = Extract<SmallTableName, `email_${string}`>

interface Spec<T extends PersonalTable, V extends View> {
  table: T
  noun: string
  item: V
  /** What its own page shows; the same where not given. */
  detail?: View
  /** The column that people know it by; without it, it is no record that a client makes. */
  title?: string
  /** The rows that the actor may see. */
  mine: (ctx: Ctx) => RawBuilder<SqlBool>
  unique?: Taken
}

/** A ctx in which a list shows fewer rows: those of a folder, those that were found. */
export interface Narrowed extends Ctx {
  only?: RawBuilder<SqlBool>
}

export const narrowed = (ctx: Ctx, only: RawBuilder<SqlBool>): Narrowed => ({ ...ctx, only })

export function personal<const T extends PersonalTable, V extends View>(spec: Spec<T, V>) {
  const { table, noun, item, detail = item, mine, unique } = spec
  if (spec.title) describeRecord(item, { table, title: spec.title })
  const at = (column: string) => sql.ref(`${table}.${column}`)
  const within = (ctx: Ctx) => sql<SqlBool>`${at('tenant_id')} = ${ctx.tenant.id}`
  const named = (ctx: Ctx, uuid: string) => sql<SqlBool>`${within(ctx)} and ${at('uuid')} = ${uuid}::uuid and ${mine(ctx)}`

  return {
    table,
    noun,
    item,
    within,
    scope: (ctx: Narrowed) => (ctx.only ? sql<SqlBool>`${mine(ctx)} and ${ctx.only}` : mine(ctx)),
    /** 404 where it isn't the actor's. */
    find: (ctx: Ctx, uuid: string): Promise<Row<T>> => readRow(ctx, table, named(ctx, uuid), { noun }),
    lock: (ctx: Ctx, uuid: string): Promise<Row<T>> => readRow(ctx, table, named(ctx, uuid), { noun, lock: true }),
    show: (ctx: Ctx, uuid: string): Promise<JsonText> => readOne(ctx, detail, table, named(ctx, uuid), { noun, revised: true }),
    insert: (ctx: Ctx, values: Partial<New<T>>): Promise<Row<T>> =>
      (ctx.tx as any)
        .insertInto(table)
        .values({ ...values, tenant_id: ctx.tenant.id, created_at: ctx.now, updated_at: ctx.now })
        .returningAll()
        .executeTakeFirstOrThrow()
        .catch(refuseTaken(unique)),
    /** Saves what differs; nothing changed: nothing is written. */
    async save(ctx: Ctx, row: Row<T>, sent: Partial<Row<T>>): Promise<Row<T>> {
      const changes = changedFields(row as object, sent)
      return Object.keys(changes).length ? writeRow(ctx, table, 'id', row, changes, unique) : row
    },
    async remove(ctx: Ctx, { id }: { id: number }) {
      await sql`delete from ${sql.table(table)} where tenant_id = ${ctx.tenant.id} and id = ${id}`.execute(ctx.tx)
    },
  }
}

/** Of a table whose rows belong to an account: those of the actor's. */
export const ofMyAccounts = (table: PersonalTable) => (ctx: Ctx) =>
  sql<SqlBool>`${sql.ref(`${table}.account_id`)} in (
    select id from email_accounts where tenant_id = ${ctx.tenant.id} and user_id = ${ctx.actor.id} and removed_at is null)`
