/**
 * Runs an import batch by batch, each of which commits its records with the counts and the position of the next batch; undoes it
 * in the same way.
 */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { HttpError, invalid } from '#kernel/errors.ts'
import { refersToAny } from '#kernel/export/record-columns.ts'
import { performWithin, routeOf, wayBack } from '#kernel/http/collections.ts'
import { parseStored } from '#kernel/http/input.ts'
import { defineUndoJob, type KeptRecord, keepDone, moveOn, refusedAsWhole } from '#kernel/import/undo.ts'
import { defineBatchJob, inTheNameOf, startRun } from '#kernel/jobs/batch-job.ts'
import { emit } from '#kernel/modules/events.ts'
import { singular } from '#kernel/values/words.ts'
import {
  chunkAt,
  columnsOf,
  dropChunks,
  type ImportRow,
  keepFailures,
  lockById,
  mappingOf,
  saveImport,
  type Target,
  targetOf,
} from './imports.ts'
import { importRows } from './rows.ts'

const TABLES = { imports: 'imports', records: 'import_records' } as const

/** With the permissions that the user has at that time. */
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
    const { done, failures, besides } = await importRows({ ...ctx, batch: one.uuid }, target, columnsOf(one), rows)
    await keepDone(ctx, TABLES, one.id, done)
    await moveOn(ctx, TABLES, one.id, besides)
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

  async failed(ctx, { import_id }, reason) {
    await endImport(ctx, await lockById(ctx, import_id), reason)
  },
})

/** Ends an import; it has failed if there is an error. */
export async function endImport(ctx: Ctx, one: ImportRow, error: string | null) {
  await saveImport(ctx, one, {
    status: error === null ? 'completed' : 'failed',
    error: error?.slice(0, 2000) ?? null,
    finished_at: ctx.now,
  })
  await dropChunks(ctx, one.id)
  await emit(await inTheNameOf(ctx, one.created_by), 'batch.ended', { batch_id: one.uuid })
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

// Undo: created records are deleted, changed ones restored, through the routes for that.

const mayMentionEachOther = ({ fields, collection }: Target) =>
  fields.some(({ schema }) => refersToAny(schema, singular(collection.of.table)))

export const undoJob = defineUndoJob<ImportRow>({
  name: 'imports-undo',
  tables: TABLES,

  async lock(ctx, importId) {
    const one = await lockById(ctx, importId)
    return one.status === 'undoing' ? one : undefined
  },

  async way(ctx, one) {
    const target = await targetOf(ctx, one.module)
    const { of, plain } = target.collection
    const isApart = !mayMentionEachOther(target)
    return {
      of,
      record_table: one.record_table,
      areApart: (some) => isApart && some.every(({ before }) => plain.has(before ? 'update' : 'delete')),
      back: (part, kept) => takeBack(part, target, one, kept),
    }
  },

  count: saveImport,
  end: endUndoing,
})

/** If undoing failed, it can be tried again. */
export async function endUndoing(ctx: Ctx, one: ImportRow, error: string | null) {
  await saveImport(
    ctx,
    one,
    error === null ? { status: 'undone' } : { status: 'completed', error: error.slice(0, 2000), undone_at: null },
  )
  await emit(await inTheNameOf(ctx, one.created_by), 'batch.ended', { batch_id: one.uuid })
}

async function takeBack(ctx: Ctx, { collection }: Target, one: ImportRow, { record_id: id, before }: KeptRecord) {
  if (!before) for (const route of wayBack(ctx, collection)) await performWithin(ctx, route, id, undefined)
  else {
    const lost = Object.keys(mappingOf(one)).find((field) => field !== 'id' && !(field in before))
    if (lost) throw invalid({ [lost]: `What ${lost} was is not known.` })
    const route = routeOf(ctx, collection, 'update')
    await performWithin({ ...ctx, putsBack: before }, route, id, parseStored(route.spec.body!, before))
  }
}

/**
 * POST /imports/{uuid}/undo. 422 on `status` if the import hasn't ended, or has been undone; 403 without the permissions that
 * undoing requires.
 */
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
