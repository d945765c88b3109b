/** Running an import batch by batch, each of which commits its records with the counts and the place of the next one; and undoing it in the same way. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { HttpError, invalid, notFound } from '#kernel/errors.ts'
import { refersToAny } from '#kernel/export/record-columns.ts'
import { performWithin, routeOf, wayBack } from '#kernel/http/collections.ts'
import { parse } from '#kernel/http/input.ts'
import { defineBatchJob, startRun } from '#kernel/jobs/batch-job.ts'
import { emit } from '#kernel/modules/events.ts'
import type { Row } from '#kernel/records/resource.ts'
import { singular } from '#kernel/values/words.ts'
import { doEach } from './each.ts'
import {
  chunkAt,
  dropChunks,
  type ImportRow,
  keepFailures,
  lockById,
  mappingOf,
  saveImport,
  type Target,
  targetOf,
} from './imports.ts'
import { type Done, followed, importRows, type Step } from './rows.ts'

/** With the rights that whoever runs it has by then. */
export const importJob = defineBatchJob<{ import_id: number }, { chunk: number }>({
  name: 'imports',
  data: z.object({ import_id: z.int() }),
  as: 'sender',
  retries: 3,

  async step(ctx, { import_id }, { chunk } = { chunk: 0 }) {
    const one = await lockById(ctx, import_id)
    if (one.status !== 'queued' && one.status !== 'processing') return { next: undefined, done: 0 }
    const rows = await chunkAt(ctx, import_id, chunk)
    if (!rows) {
      await endImport(ctx, one, one.processed_rows < one.total_rows ? 'Rows of the file are missing. Upload it again.' : null)
      return { next: undefined, done: 0 }
    }
    const target = await refusedAsWhole(targetOf(ctx, one.module))
    if (target instanceof HttpError) {
      await endImport(ctx, one, target.message)
      return { next: undefined, done: 0 }
    }
    const { done, failures, besides } = await importRows({ ...ctx, batch: one.uuid }, target, one.headers, mappingOf(one), rows)
    await keepDone(ctx, one.id, done)
    await moveOn(ctx, one.id, besides)
    await keepFailures(ctx, one.id, failures)
    const created = done.filter(({ before }) => !before).length
    await saveImport(ctx, one, {
      status: 'processing',
      started_at: one.started_at ?? ctx.now,
      processed_rows: one.processed_rows + rows.length,
      created_count: one.created_count + created,
      updated_count: one.updated_count + done.length - created,
      failed_count: one.failed_count + failures.length,
    })
    return { next: { chunk: chunk + 1 }, done: rows.length, total: one.total_rows }
  },

  async failed(ctx, { import_id }, error) {
    await endImport(ctx, await lockById(ctx, import_id), error.message)
  },
})

/** What the actor may no longer do ends the whole work. */
const refusedAsWhole = (target: Promise<Target>) =>
  target.catch((error) => {
    if (error instanceof HttpError && error.status < 500) return error
    throw error
  })

/** Several rows may be about the same record: what it was before the first of them counts. */
async function keepDone(ctx: Ctx, importId: number, done: Done[]) {
  if (!done.length) return
  const first = new Map<number, Done>()
  for (const one of done) first.set(one.record_id, { ...one, ...first.get(one.record_id), revision: one.revision })
  await sql`
    insert into import_records (tenant_id, import_id, record_id, row_number, revision, revision_before, before)
    select ${ctx.tenant.id}::bigint, ${importId}::bigint, record_id, row_number, revision, revision_before, before
    from jsonb_to_recordset(${JSON.stringify([...first.values()])}::jsonb)
      as given(record_id bigint, row_number int, revision int, revision_before int, before jsonb)
    on conflict (tenant_id, import_id, record_id) do update set revision = excluded.revision,
      revision_before = case when import_records.revision = excluded.revision_before then import_records.revision_before end returning 1`.execute(
    ctx.tx,
  )
}

/** Records of an import that it, or undoing it, has moved besides: for it they are as it left them. */
async function moveOn(ctx: Ctx, importId: number, steps: Step[]) {
  if (!steps.length) return
  const runs = new Map<number, Step[]>()
  for (const { record_id, from, to } of steps) {
    const run = runs.getOrInsertComputed(record_id, () => [])
    if (run.at(-1)?.to === from) run.at(-1)!.to = to
    else run.push({ record_id, from, to })
  }
  await sql`
    update import_records r set revision = step."to"
    from jsonb_to_recordset(${JSON.stringify([...runs.values()].flat())}::jsonb) as step(record_id bigint, "from" int, "to" int)
    where r.tenant_id = ${ctx.tenant.id} and r.import_id = ${importId} and r.record_id = step.record_id and r.revision = step."from"
      and r.record_id = any(${[...runs.keys()]}::bigint[])`.execute(ctx.tx)
}

/** A record that is again as it was before one import changed it: for an earlier one that left it so, nobody has changed it. */
async function putBack(ctx: Ctx, { id, record_table }: ImportRow, recordId: number, before: number, now: number) {
  await sql`
    update import_records r set revision = ${now} from imports i
    where r.tenant_id = ${ctx.tenant.id} and r.record_id = ${recordId} and r.revision = ${before} and not r.undone and r.import_id <> ${id}
      and i.tenant_id = ${ctx.tenant.id} and i.id = r.import_id and i.record_table = ${record_table}`.execute(ctx.tx)
}

export async function endImport(ctx: Ctx, one: ImportRow, error: string | null) {
  await saveImport(ctx, one, {
    status: error === null ? 'completed' : 'failed',
    error: error?.slice(0, 2000) ?? null,
    finished_at: ctx.now,
  })
  await dropChunks(ctx, one.id)
  await emit(ctx, 'batch.ended', { batch_id: one.uuid })
}

/** POST /imports/{uuid}/run. 422 on `status` before the mapping and the second time; 403 as for the upload. */
export async function runImport(ctx: Ctx, one: ImportRow) {
  if (one.status !== 'uploaded' && one.status !== 'mapped')
    throw invalid({ status: `An import that is ${one.status} cannot be run again.` })
  mappingOf(one)
  await targetOf(ctx, one.module)
  const run_id = await startRun(ctx, importJob, { import_id: one.id }, one.total_rows)
  await saveImport(ctx, one, { status: 'queued', run_id })
}

// Undoing: what the import made is deleted, what it changed put back, by the routes that do so.

const MOST = 100

/** Records of later rows go before those of earlier ones, which they may mention. */
export const undoJob = defineBatchJob<{ import_id: number }, { before: number }>({
  name: 'imports-undo',
  data: z.object({ import_id: z.int() }),
  as: 'sender',
  retries: 3,

  async step(ctx, { import_id }, { before } = { before: 2_147_483_647 }) {
    const one = await lockById(ctx, import_id)
    if (one.status !== 'undoing') return { next: undefined, done: 0 }
    const kept = await ctx
      .from('import_records')
      .selectAll()
      .where('import_id', '=', import_id)
      .where('row_number', '<', before)
      .where('undone', '=', false)
      .orderBy('row_number', 'desc')
      .limit(MOST)
      .execute()
    const target = await refusedAsWhole(targetOf(ctx, one.module))
    if (target instanceof HttpError) {
      await endUndoing(ctx, one, target.message)
      return { next: undefined, done: 0 }
    }
    const mayMentionEachOther = target.fields.some(({ schema }) => refersToAny(schema, singular(target.collection.of.table)))
    const { plain } = target.collection
    const errors = await doEach({ ...ctx, batch: one.uuid }, kept, {
      one: (part, record) => undoRecord(part, target, one, record),
      refused: (_, { message }) => message,
      areApart: (some) => !mayMentionEachOther && some.every(({ before }) => plain.has(before ? 'update' : 'delete')),
      isUnsound: () => false,
    })
    const undone = kept.map(({ record_id }, n) => ({ record_id, undo_error: errors[n] ?? null }))
    await sql`
      update import_records r set undone = given.undo_error is null, undo_error = given.undo_error
      from jsonb_to_recordset(${JSON.stringify(undone)}::jsonb) as given(record_id bigint, undo_error text)
      where r.tenant_id = ${ctx.tenant.id} and r.import_id = ${import_id} and r.record_id = given.record_id
        and r.record_id = any(${kept.map(({ record_id }) => record_id)}::bigint[])`.execute(ctx.tx)
    // Of those that were kept before, too: undoing may be tried again.
    const failed = undone.filter(({ undo_error }) => undo_error !== null).length
    await saveImport(ctx, one, {
      undone_count: one.undone_count + undone.length - failed,
      kept_count: one.kept_count + failed - kept.filter(({ undo_error }) => undo_error !== null).length,
    })
    if (kept.length === MOST) return { next: { before: kept.at(-1)!.row_number }, done: kept.length }
    await endUndoing(ctx, one, null)
    return { next: undefined, done: kept.length }
  },

  async failed(ctx, { import_id }, error) {
    await endUndoing(ctx, await lockById(ctx, import_id), error.message)
  },
})

/** Where it could not go on, it may be tried again. */
export async function endUndoing(ctx: Ctx, one: ImportRow, error: string | null) {
  await saveImport(
    ctx,
    one,
    error === null ? { status: 'undone' } : { status: 'completed', error: error.slice(0, 2000), undone_at: null },
  )
  await emit(ctx, 'batch.ended', { batch_id: one.uuid })
}

/** Undoes what was done to one record; throws what keeps it from being undone. */
async function undoRecord(
  ctx: Ctx,
  { collection }: Target,
  one: ImportRow,
  kept: Pick<Row<'import_records'>, 'record_id' | 'revision_before' | 'before'>,
) {
  const { of } = collection
  const { record_id: id, revision_before, before } = kept
  const { inner, steps } = followed(ctx, of.table)
  // Undoing another record may have moved this one on.
  const { rows } = await sql<{ revision: number; is_live: boolean; is_left: boolean }>`
    select t.revision, t.deleted_at is null as is_live, t.revision = r.revision as is_left
    from ${sql.table(of.table)} t join import_records r on r.tenant_id = ${ctx.tenant.id} and r.import_id = ${one.id} and r.record_id = t.id
    where t.tenant_id = ${ctx.tenant.id} and t.id = ${id} for update of t`.execute(ctx.tx)
  if (!rows[0]?.is_live) throw notFound(`There is no such ${of.noun} any more.`)
  if (!rows[0].is_left) throw invalid({ id: 'It was changed since.' })
  if (before) {
    const lost = Object.keys(mappingOf(one)).find((field) => field !== 'id' && !(field in (before as object)))
    if (lost) throw invalid({ [lost]: `What ${lost} was is not known.` })
    const route = routeOf(ctx, collection, 'update')
    await performWithin(inner, route, id, parse(route.spec.body!, before))
    if (revision_before) await putBack(ctx, one, id, revision_before, steps.get(id)?.to ?? rows[0].revision)
  } else for (const route of wayBack(ctx, collection)) await performWithin(inner, route, id, undefined)
  steps.delete(id)
  await moveOn(ctx, one.id, [...steps.values()])
  return null
}

/** POST /imports/{uuid}/undo. 422 on `status` where it isn't done, or is undone; 403 without the permissions that undoing needs. */
export async function undoImport(ctx: Ctx, one: ImportRow) {
  if (one.status !== 'completed' && one.status !== 'failed')
    throw invalid({
      status: one.status === 'undone' ? 'It has been undone.' : `An import that is ${one.status} cannot be undone.`,
    })
  const { collection } = await targetOf(ctx, one.module)
  if (one.created_count) wayBack(ctx, collection)
  if (one.updated_count) routeOf(ctx, collection, 'update')
  mappingOf(one)
  const undo_run_id = await startRun(ctx, undoJob, { import_id: one.id }, one.created_count + one.updated_count)
  await saveImport(ctx, one, { status: 'undoing', undo_run_id, undone_at: ctx.now, error: null })
}
