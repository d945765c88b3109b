/**
 * What every record shares: being found within the workspace and the actor's scope, locked, saved, soft-deleted, restored and
 * deleted for good. A module states its table and what is its own.
 */
import Big from 'big.js'
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { together } from '../database/connect.ts'
import type { DB } from '../database/tables.ts'
import { violationOf } from '../database/violations.ts'
import { badRequest, HttpError, invalid, notFound } from '../errors.ts'
import type { Permission } from '../modules/module.ts'
import { commonSentences, logActivity, type Sentences } from './timeline.ts'

/** Tables that hold records: workspace, id, life times and a revision that each save counts up. */
export type RecordTable = {
  [T in keyof DB]: DB[T] extends { tenant_id: unknown; id: unknown; revision: unknown; deleted_at: unknown } ? T : never
}[keyof DB]

export type Row<T extends RecordTable> = Selectable<DB[T]>

interface ResourceSpec<T extends RecordTable, S extends Sentences> {
  table: T
  /** In messages: 'purchase order'. */
  noun: string
  /** Without this permission an actor sees only the records assigned to them (AUTH-07). */
  assign?: Permission
  /** A visibility of its own, instead of the assignee's: true for a row of the table that the actor may see. */
  scope?: (ctx: Ctx) => RawBuilder<SqlBool> | undefined
  /** Columns by which record_tallies counts the table; the migration calls app.tallied with them. */
  tallied?: readonly ('status' | 'assigned_to')[]
  sentences?: S
  /** Unique constraints and the input that each is about: the database judges, because a look beforehand races. */
  unique?: Taken
  /** numeric columns: '5' and '5.000000' are the same there, and nowhere else. */
  decimals?: readonly (keyof DB[T] & string)[]
}

export interface Resource<T extends RecordTable = any, S extends Sentences = any> {
  table: T
  noun: string
  sentences: typeof commonSentences & S
  tallied?: readonly string[]
  decimals: readonly string[]
  /** The workspace's condition, by name: the policy behind it is the guarantee, this is the index. */
  within(ctx: Ctx): RawBuilder<SqlBool>
  /** The scope is the assignee's alone (not one of the module's own). */
  scopedByAssignee: boolean
  /** The one visibility predicate, for every query on the table (list, stats, show, change, embed, print); undefined: sees all. */
  scope(ctx: Ctx): RawBuilder<SqlBool> | undefined
  /** The live record; 404 when there is none in this workspace or in the actor's sight. */
  find(ctx: Ctx, id: number): Promise<Row<T>>
  /** The same, locked until the transaction ends: what every change begins with. */
  lock(ctx: Ctx, id: number): Promise<Row<T>>
  /** Locked, soft-deleted or not: for restore and force. */
  lockAny(ctx: Ctx, id: number): Promise<Row<T>>
  insert(ctx: Ctx, values: Partial<Row<T>>): Promise<Row<T>>
  save(ctx: Ctx, row: Row<T>, changes: Partial<Row<T>>): Promise<Row<T>>
  /** Soft-deletes. */
  trash(ctx: Ctx, row: Row<T>): Promise<Row<T>>
  /** Undoes the soft delete; 400 on a live record. */
  restore(ctx: Ctx, row: Row<T>): Promise<Row<T>>
  /** Deletes for good, with notes and timeline; 400 on a live record (CONV-05). */
  force(ctx: Ctx, row: Row<T>): Promise<void>
}

type Common = { id: number; deleted_at: string | null }

export function resource<const T extends RecordTable, S extends Sentences = {}>(spec: ResourceSpec<T, S>): Resource<T, S> {
  const { table, noun } = spec
  const sentences = { ...commonSentences, ...spec.sentences } as typeof commonSentences & S
  const subject = { table, sentences: commonSentences }

  const scope: Resource<T, S>['scope'] = (ctx) => {
    if (spec.scope) return spec.scope(ctx)
    if (!spec.assign || ctx.can(spec.assign)) return undefined
    return sql<SqlBool>`${sql.ref(`${table}.assigned_to`)} = ${ctx.actor.id}`
  }

  async function select(ctx: Ctx, id: number, options: { trashed?: true; lock?: true }) {
    const seen = scope(ctx)
    let query = (ctx.tx as any).selectFrom(table).selectAll().where('tenant_id', '=', ctx.tenant.id).where('id', '=', id)
    if (!options.trashed) query = query.where('deleted_at', 'is', null)
    if (seen) query = query.where(seen)
    if (options.lock) query = query.forUpdate()
    const row: Row<T> | undefined = await query.executeTakeFirst()
    if (!row) throw notFound(`There is no such ${noun}.`)
    return row
  }

  async function save(ctx: Ctx, row: Row<T>, changes: Record<string, unknown>): Promise<Row<T>> {
    return (ctx.tx as any)
      .updateTable(table)
      .set({ ...changes, updated_at: ctx.now, revision: sql`revision + 1` })
      .where('tenant_id', '=', ctx.tenant.id)
      .where('id', '=', (row as Common).id)
      .returningAll()
      .executeTakeFirstOrThrow()
      .catch(refuseTaken(spec.unique))
  }

  return {
    table,
    noun,
    sentences,
    tallied: spec.tallied,
    decimals: spec.decimals ?? [],
    within: (ctx) => sql`${sql.ref(`${table}.tenant_id`)} = ${ctx.tenant.id}`,
    scopedByAssignee: spec.scope === undefined,
    scope,
    find: (ctx, id) => select(ctx, id, {}),
    lock: (ctx, id) => select(ctx, id, { lock: true }),
    lockAny: (ctx, id) => select(ctx, id, { lock: true, trashed: true }),
    /** The row and the beginning of its timeline, in one statement. */
    async insert(ctx, values) {
      const { tenant, actor, now } = ctx
      return (ctx.tx as any)
        .with('made', (tx: any) =>
          tx
            .insertInto(table)
            .values({ ...values, tenant_id: tenant.id, created_by: actor.id, created_at: now, updated_at: now })
            .returningAll(),
        )
        .with('told', (tx: any) =>
          tx
            .insertInto('activities')
            .columns(['tenant_id', 'subject_type', 'subject_id', 'type', 'actor_id', 'created_at'])
            .expression((eb: any) =>
              eb
                .selectFrom('made')
                .select([
                  'tenant_id',
                  sql.lit(table).as('subject_type'),
                  'id',
                  sql.lit('created').as('type'),
                  'created_by',
                  'created_at',
                ]),
            ),
        )
        .selectFrom('made')
        .selectAll()
        .executeTakeFirstOrThrow()
        .catch(refuseTaken(spec.unique))
    },
    save: save as Resource<T, S>['save'],
    async trash(ctx, row) {
      const [trashed] = await together(
        save(ctx, row, { deleted_at: ctx.now }),
        logActivity(ctx, subject, (row as Common).id, 'deleted'),
      )
      return trashed
    },
    async restore(ctx, row) {
      if ((row as Common).deleted_at === null) throw badRequest(`This ${noun} is not deleted.`)
      const [restored] = await together(
        save(ctx, row, { deleted_at: null }),
        logActivity(ctx, subject, (row as Common).id, 'restored'),
      )
      return restored
    },
    async force(ctx, row) {
      if ((row as Common).deleted_at === null)
        throw badRequest(`Delete the ${noun} first; only deleted ones can be removed for good.`)
      const { id } = row as Common
      const tenant_id = ctx.tenant.id
      for (const attached of ['notes', 'activities'] as const)
        await ctx.tx
          .deleteFrom(attached)
          .where('tenant_id', '=', tenant_id)
          .where('subject_type', '=', table)
          .where('subject_id', '=', id)
          .execute()
      await (ctx.tx as any)
        .deleteFrom(table)
        .where('tenant_id', '=', tenant_id)
        .where('id', '=', id)
        .execute()
        .catch((error: unknown) => {
          const broken = violationOf(error)
          if (broken?.kind !== 'foreign_key') throw error
          throw invalid({
            [noun.replaceAll(' ', '_')]: `This ${noun} is still used by ${String(broken.table).replaceAll('_', ' ')}.`,
          })
        })
    },
  }
}

/** By the name of a unique constraint: the field that it is about and what to say. */
export type Taken = Record<string, Record<string, string>>

/** Turns the violation of a named unique constraint into a 422 on its field: `.catch(refuseTaken({ products_sku: { sku: '…' } }))` */
export const refuseTaken =
  (taken: Taken = {}) =>
  (error: unknown): never => {
    const broken = violationOf(error)
    const fields = broken?.kind === 'unique' ? taken[broken.constraint] : undefined
    throw fields ? invalid(fields) : error
  }

/** The strong validator of a record, for `ETag` and `If-Match`. */
export const etagOf = (row: { id: number; revision: number }) => `"${row.id}-${row.revision}"`

/** 412 when the client changed an older state of the record than the one that is stored. */
export function checkIfMatch(header: string | undefined, row: unknown) {
  if (header === undefined || header.trim() === '*') return
  const { id, revision } = (row ?? {}) as { id?: number; revision?: number }
  if (id === undefined || revision === undefined) return
  const sent = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (!sent.includes(etagOf({ id, revision })))
    throw new HttpError(
      412,
      'PRECONDITION_FAILED',
      'The record was changed in the meantime. Read it again and repeat the change.',
    )
}

/** The changes among the sent fields: what differs from the stored row. Columns named as decimals are compared by value. */
export function changedFields<R extends object>(row: R, sent: Partial<R>, decimals: readonly string[] = []): Partial<R> {
  const same = (key: string, a: unknown, b: unknown) =>
    a === b ||
    (a !== null && b !== null && decimals.includes(key) && new Big(a as string).eq(b as string)) ||
    JSON.stringify(a) === JSON.stringify(b)
  const entries = Object.entries(sent).filter(
    ([key, value]) => value !== undefined && !same(key, row[key as keyof R] ?? null, value ?? null),
  )
  return Object.fromEntries(entries) as Partial<R>
}

/** Saves the sent fields that differ and says in the timeline which. Nothing changed: nothing is written. */
export async function revise<T extends RecordTable>(
  ctx: Ctx,
  of: Resource<T>,
  row: Row<T>,
  sent: Partial<Row<T>>,
): Promise<Row<T>> {
  const changes = changedFields(row as object, sent as object, of.decimals)
  const fields = Object.keys(changes)
  if (!fields.length) return row
  const [saved] = await together(
    of.save(ctx, row, changes as Partial<Row<T>>),
    logActivity(ctx, { table: of.table, sentences: commonSentences }, (row as unknown as Common).id, 'updated', { fields }),
  )
  return saved
}
