/**
 * Undo of imports. The effect of an import on each record is stored for a while, so that it can be undone: created records are
 * removed, and changed ones are restored unless they have changed since.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { HttpError, invalid, notFound } from '../errors.ts'
import { type BatchJob, defineBatchJob } from '../jobs/batch-job.ts'
import type { TableName } from '../records/view.ts'
import { doEach } from './each.ts'

/** Days for which the effects of an import are stored, and can be undone. */
export const KEPT_DAYS = 30

/** Effect of an import on a record. */
export interface Done {
  record_id: number
  row_number: number
  /** Revision after the change. */
  revision: number
  /** Revision before the change; null: the record is new. */
  revision_before: number | null
  /** Request body that would restore the previous state; null: the record is new. */
  before: object | null
}

/** A record whose revision has changed. */
export interface Step {
  record_id: number
  from: number
  to: number
}

/** Returns a context that records revision changes of the table's records, by id. */
export function followed(ctx: Ctx, table: string): { inner: Ctx; steps: Map<number, Step> } {
  const steps = new Map<number, Step>()
  const inner: Ctx = {
    ...ctx,
    revised(of, { id, revision: to }) {
      if (of === table) steps.set(id, { record_id: id, from: steps.get(id)?.from ?? to - 1, to })
    },
  }
  return { inner, steps }
}

/** Tables of a kind of import and of its effects. Both have the columns of `imports` and `import_records` that are used here. */
export interface ImportTables {
  imports: TableName
  records: TableName
}

/** Stores the effects of an import. If several rows concern the same record, the state before the first one counts. */
export async function keepDone(ctx: Ctx, { records }: ImportTables, importId: number, done: Done[]) {
  if (!done.length) return
  const first = new Map<number, Done>()
  for (const one of done) first.set(one.record_id, { ...one, ...first.get(one.record_id), revision: one.revision })
  await sql`
    insert into ${sql.table(records)} as kept (tenant_id, import_id, record_id, row_number, revision, revision_before, before)
    select ${ctx.tenant.id}::bigint, ${importId}::bigint, record_id, row_number, revision, revision_before, before
    from jsonb_to_recordset(${JSON.stringify([...first.values()])}::jsonb)
      as given(record_id bigint, row_number int, revision int, revision_before int, before jsonb)
    on conflict (tenant_id, import_id, record_id) do update set revision = excluded.revision,
      revision_before = case when kept.revision = excluded.revision_before then kept.revision_before end returning 1`.execute(
    ctx.tx,
  )
}

/**
 * Updates the stored revisions of records that an import, or its undo, has also changed indirectly, so that they don't count as
 * changed since.
 */
export async function moveOn(ctx: Ctx, { records }: ImportTables, importId: number, steps: Step[]) {
  if (!steps.length) return
  const runs = new Map<number, Step[]>()
  for (const { record_id, from, to } of steps) {
    const run = runs.getOrInsertComputed(record_id, () => [])
    if (run.at(-1)?.to === from) run.at(-1)!.to = to
    else run.push({ record_id, from, to })
  }
  await sql`
    update ${sql.table(records)} r set revision = step."to"
    from jsonb_to_recordset(${JSON.stringify([...runs.values()].flat())}::jsonb) as step(record_id bigint, "from" int, "to" int)
    where r.tenant_id = ${ctx.tenant.id} and r.import_id = ${importId} and r.record_id = step.record_id and r.revision = step."from"
      and r.record_id = any(${[...runs.keys()]}::bigint[])`.execute(ctx.tx)
}

/** Stored effect of an import on a record. */
export interface KeptRecord {
  record_id: number
  revision_before: number | null
  /** Null: the import created the record. */
  before: object | null
  undo_error: string | null
}

interface UndoableImport {
  id: number
  uuid: string
  undone_count: number
  kept_count: number
}

/** Functions that undo the records of an import. */
interface RecordUndo {
  /** Table and noun of the records. */
  of: { table: string; noun: string }
  /** Undoes the effect on a record; throws if it can't be undone. */
  back(ctx: Ctx, kept: KeptRecord): Promise<unknown>
  /** Whether these can be undone concurrently with the same result. */
  areApart(some: KeptRecord[]): boolean
  /** Value of `record_table` of the imports concerned; undefined if all imports of this kind have the same kind of record. */
  record_table?: string
}

interface Undoing<I extends UndoableImport> {
  /** Name of the job. */
  name: string
  tables: ImportTables
  /** Returns the import, locked; undefined unless it is being undone. */
  lock(ctx: Ctx, importId: number): Promise<I | undefined>
  /** Returns how to undo the records. Throws if the actor lacks a permission by now, which ends the job. */
  way(ctx: Ctx, one: I): Promise<RecordUndo>
  count(ctx: Ctx, one: I, counts: { undone_count: number; kept_count: number }): Promise<unknown>
  /** Ends the undo; with an error it can be tried again. */
  end(ctx: Ctx, one: I, error: string | null): Promise<unknown>
}

/** Maximum number of records per step. */
const MAX_RECORDS = 100

interface Cursor {
  before: number
  record?: number
}

/**
 * Defines the job that undoes imports of a kind, with the requester's permissions: last row first, because later rows may
 * reference earlier ones.
 */
export const defineUndoJob = <I extends UndoableImport>(undoing: Undoing<I>): BatchJob<{ import_id: number }> =>
  defineBatchJob<{ import_id: number }, Cursor>({
    name: undoing.name,
    data: z.object({ import_id: z.int() }),
    as: 'sender',
    retries: 3,

    async step(ctx, { import_id }, { before, record = 0 } = { before: 2_147_483_647 }) {
      const { tables } = undoing
      const one = await undoing.lock(ctx, import_id)
      if (!one) return { next: undefined, done: 0 }
      const { rows: kept } = await sql<KeptRecord & { row_number: number }>`
        select record_id, row_number, revision_before, before, undo_error from ${sql.table(tables.records)}
        where tenant_id = ${ctx.tenant.id} and import_id = ${import_id} and (row_number, record_id) < (${before}, ${record}) and not undone
        order by row_number desc, record_id desc limit ${sql.lit(MAX_RECORDS)}`.execute(ctx.tx)
      const way = await refusedAsWhole(undoing.way(ctx, one))
      if (way instanceof HttpError) {
        await undoing.end(ctx, one, way.message)
        return { next: undefined, done: 0 }
      }
      const errors = await doEach({ ...ctx, batch: one.uuid }, kept, {
        one: (part, record) => undoRecord(part, tables, way, one, record),
        refused: (_, { message }) => message,
        areApart: way.areApart,
        isUnsound: () => false,
      })
      const undone = kept.map(({ record_id }, n) => ({ record_id, undo_error: errors[n] ?? null }))
      await sql`
        update ${sql.table(tables.records)} r set undone = given.undo_error is null, undo_error = given.undo_error
        from jsonb_to_recordset(${JSON.stringify(undone)}::jsonb) as given(record_id bigint, undo_error text)
        where r.tenant_id = ${ctx.tenant.id} and r.import_id = ${import_id} and r.record_id = given.record_id
          and r.record_id = any(${kept.map(({ record_id }) => record_id)}::bigint[])`.execute(ctx.tx)
      // The previously failed ones are included, because the undo can be repeated.
      const failed = undone.filter(({ undo_error }) => undo_error !== null).length
      await undoing.count(ctx, one, {
        undone_count: one.undone_count + undone.length - failed,
        kept_count: one.kept_count + failed - kept.filter(({ undo_error }) => undo_error !== null).length,
      })
      if (kept.length === MAX_RECORDS) {
        const { row_number, record_id } = kept.at(-1)!
        return { next: { before: row_number, record: record_id }, done: kept.length }
      }
      await undoing.end(ctx, one, null)
      return { next: undefined, done: kept.length }
    },

    async failed(ctx, { import_id }, reason) {
      const one = await undoing.lock(ctx, import_id)
      if (one) await undoing.end(ctx, one, reason)
    },
  })

/** Returns a 4xx error, such as a missing permission, which ends the whole job; rethrows others. */
export const refusedAsWhole = <T>(asked: Promise<T>): Promise<T | HttpError> =>
  asked.catch((error) => {
    if (error instanceof HttpError && error.status < 500) return error
    throw error
  })

/** Undoes the effect on a record; throws if it can't be undone. */
async function undoRecord(
  ctx: Ctx,
  tables: ImportTables,
  { of, back, record_table }: RecordUndo,
  one: UndoableImport,
  kept: KeptRecord,
) {
  const { record_id: id, revision_before } = kept
  const { inner, steps } = followed(ctx, of.table)
  // The undo of another record may have changed this one's revision.
  const { rows } = await sql<{ is_live: boolean; is_left: boolean }>`
    select t.deleted_at is null as is_live, t.revision = r.revision as is_left
    from ${sql.table(of.table)} t join ${sql.table(tables.records)} r
      on r.tenant_id = ${ctx.tenant.id} and r.import_id = ${one.id} and r.record_id = t.id
    where t.tenant_id = ${ctx.tenant.id} and t.id = ${id} for update of t`.execute(ctx.tx)
  if (!rows[0]?.is_live) throw notFound(`There is no such ${of.noun} any more.`)
  if (!rows[0].is_left) throw invalid({ id: 'It was changed since.' })
  await back(inner, kept)
  if (revision_before) await putBack(ctx, tables, { of, record_table }, one.id, kept)
  steps.delete(id)
  await moveOn(ctx, tables, one.id, [...steps.values()])
  return null
}

/** Updates the revision stored by earlier imports: the record is again as they left it, and doesn't count as changed since. */
async function putBack(
  ctx: Ctx,
  { imports, records }: ImportTables,
  { of, record_table }: Pick<RecordUndo, 'of' | 'record_table'>,
  importId: number,
  { record_id, revision_before }: KeptRecord,
) {
  await sql`
    update ${sql.table(records)} r set revision = t.revision from ${sql.table(imports)} i, ${sql.table(of.table)} t
    where r.tenant_id = ${ctx.tenant.id} and r.record_id = ${record_id} and r.revision = ${revision_before} and not r.undone
      and r.import_id <> ${importId} and t.tenant_id = ${ctx.tenant.id} and t.id = ${record_id}
      and i.tenant_id = ${ctx.tenant.id} and i.id = r.import_id ${record_table ? sql`and i.record_table = ${record_table}` : sql``}`.execute(
    ctx.tx,
  )
}
