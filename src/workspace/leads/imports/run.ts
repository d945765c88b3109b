/**
 * Runs an import in batches: each commits its leads together with the counts and the next position. Also ends imports and sweeps
 * their remains.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { HttpError, invalid } from '#kernel/errors.ts'
import type { FileRow } from '#kernel/import/table.ts'
import { defineBatchJob, inTheNameOf, startRun } from '#kernel/jobs/batch-job.ts'
import { emit } from '#kernel/modules/events.ts'
import { discardFile } from '#kernel/storage/uploads.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { emitAssigned } from '../assignment.ts'
import { reserveIds } from '../leads.ts'
import { lockDuplicates, Matcher, markDuplicates, NAME_TAKEN, namedByOthers, takesName, targetOf } from './duplicates.ts'
import { chunkAt, dropChunks, type Import, keepFailures, lockById, mappingOf, rejected, saveImport, WHOLE } from './imports.ts'
import { membersFor, refuseUnpermitted } from './options.ts'
import { taggedWith, type ValidRow, validateRows } from './rows.ts'
import { distribute, insertNew, type NewLead, type Update, updateMatched } from './saving.ts'
import { keepDeeds, sweepUndoing } from './undo.ts'

async function endImport(ctx: Ctx, one: Import, status: 'completed' | 'failed', error: string | null = null) {
  await saveImport(ctx, one, { status, error, finished_at: ctx.now })
  await dropChunks(ctx, one.id)
  await emitAssignments(await inTheNameOf(ctx, one.run_by), one)
  await emitDuplicates(ctx, one)
  const { uuid, file_name, imported_count, updated_count, skipped_count, duplicate_count, failed_count, run_by } = one
  const counts = {
    ...{ imported: imported_count, updated: updated_count, skipped: skipped_count },
    ...{ duplicate: duplicate_count, failed: failed_count },
  }
  if (run_by === null) return
  const lead_id = imported_count === 1 && updated_count === 0 ? await onlyLead(ctx, one) : null
  await emit(ctx, 'lead.imported', { user_id: run_by, lead_id, import_uuid: uuid, status, file_name, counts })
}

/** Returns the lead of an import that created just one; null if it was purged since. */
async function onlyLead(ctx: Ctx, { uuid }: Import): Promise<number | null> {
  const made = ctx.from('leads').select('id').where('batch_id', '=', uuid)
  return (await made.executeTakeFirst())?.id ?? null
}

interface ToEmit {
  user_id: number
  lead_ids: number[]
}

/** Emits `lead.assigned` for each assignee except the importer. History entries use the import's uuid as batch id. */
async function emitAssignments(ctx: Ctx, { uuid, run_by }: Import) {
  const { rows } = await sql<ToEmit>`
    select new_user_id as user_id, json_agg(lead_id order by lead_id) as lead_ids from lead_assignments
    where tenant_id = ${ctx.tenant.id} and batch_id = ${uuid} and new_user_id is distinct from ${run_by} and new_user_id is not null
    group by 1 order by 1`.execute(ctx.tx)
  for (const { user_id, lead_ids } of rows)
    await emitAssigned(ctx, user_id, lead_ids, { reason: null, source: 'import', batch_id: uuid })
}

/** Emits `lead.duplicate_detected`: all leads to the importer, and to each assignee their own. */
async function emitDuplicates(ctx: Ctx, { id, uuid, run_by }: Import) {
  const { rows } = await sql<ToEmit>`
    select user_id, json_agg(lead_id order by lead_id) as lead_ids from (
      select l.assigned_to as user_id, l.id as lead_id from lead_import_duplicates d
      join leads l on l.tenant_id = ${ctx.tenant.id} and l.id = d.lead_id
      where d.tenant_id = ${ctx.tenant.id} and d.import_id = ${id} and l.assigned_to is not null
      union
      select ${run_by}::bigint, d.lead_id from lead_import_duplicates d where d.tenant_id = ${ctx.tenant.id} and d.import_id = ${id}
    ) told where user_id is not null group by 1 order by 1`.execute(ctx.tx)
  for (const told of rows) await emit(ctx, 'lead.duplicate_detected', { ...told, source: 'import', batch_id: uuid })
}

/** Next chunk, and number of leads distributed so far. */
interface Cursor {
  chunk: number
  given: number
}

/** Runs with the current permissions of the user who started it. */
export const importJob = defineBatchJob<{ import_id: number }, Cursor>({
  name: 'leads-import',
  data: z.object({ import_id: z.int() }),
  as: 'sender',
  retries: 3,

  async step(ctx, { import_id }, { chunk, given } = { chunk: 0, given: 0 }) {
    const tag = await lockDuplicates(ctx)
    const one = await lockById(ctx, import_id)
    if (one.status !== 'queued' && one.status !== 'processing') return { next: undefined, done: 0 }
    const lost = await refuseUnpermitted(ctx, one).catch((error) => error as Error)
    if (lost) {
      if (!(lost instanceof HttpError)) throw lost
      await fail(ctx, one, lost.message)
      return { next: undefined, done: 0 }
    }
    const rows = await chunkAt(ctx, import_id, chunk)
    if (!rows) {
      if (one.processed_rows < one.total_rows) await fail(ctx, one, 'Rows of the file are missing. Upload it again.')
      else await endImport(ctx, one, 'completed')
      return { next: undefined, done: 0 }
    }
    const next = await importBatch(ctx, one, rows, { tag, given })
    return { next: { chunk: chunk + 1, given: next }, done: rows.length, total: one.total_rows }
  },

  async failed(ctx, { import_id }, reason) {
    await fail(ctx, await lockById(ctx, import_id), reason)
  },
})

async function fail(ctx: Ctx, one: Import, reason: string) {
  await keepFailures(ctx, one.id, [{ row: WHOLE, reason, errors: null }])
  await endImport(ctx, one, 'failed', reason)
}

/** Returns the number of leads distributed so far. */
async function importBatch(
  ctx: Ctx,
  one: Import,
  rows: FileRow[],
  { tag, given }: { tag: Awaited<ReturnType<typeof lockDuplicates>>; given: number },
) {
  const { sound, wrong } = await validateRows(ctx, one, rows)
  const matcher = new Matcher(one.unique_fields)
  await matcher.learn(ctx, sound)
  const named = await namedByOthers(ctx, sound)
  const ids = await reserveIds(ctx, sound.length)
  const made: NewLead[] = []
  const updates: Update[] = []
  const todays = new Map<number, number>()
  const duplicates = new Set<FileRow>()
  const misnamed: ValidRow[] = []
  for (const row of sound) {
    const match = matcher.match(row)
    const target = targetOf(match.lead, one.duplicate_mode, ids[made.length]!)
    if (target !== undefined && !takesName(row, named, target)) {
      misnamed.push(row)
      continue
    }
    if (match.todays !== undefined) todays.getOrInsert(match.todays, row.row.n)
    if (match.lead !== undefined) duplicates.add(row.row)
    if (target === undefined) continue
    if (target === match.lead) updates.push({ id: target, by: row })
    else {
      const isOfToday = match.todays !== undefined && tag
      made.push({ id: target, from: isOfToday ? { ...row, draft: taggedWith(row.draft, tag.id) } : row })
      matcher.add(row, target)
    }
  }
  const distributed = distribute(made, await membersFor(ctx, one), given)
  const notMade = await insertNew(ctx, one.uuid, made)
  const { done: updated, failures: notUpdated } = await updateMatched(ctx, one.uuid, updates)
  const tagged = await markDuplicates(ctx, one.id, tag, todays)
  const lost = new Set(notMade.map(({ row }) => row))
  const inserted = made.filter(({ from }) => !lost.has(from.row))
  await keepDeeds(ctx, one.id, [
    ...inserted.map(({ id, from }) => ({ record_id: id, row_number: from.row.n, revision_before: null, before: null })),
    ...updated,
    ...tagged,
  ])
  const refused = [...wrong, ...misnamed.map(({ row }) => ({ row, errors: NAME_TAKEN }))]
  const failures = [...refused.map(({ row, errors }) => rejected(row, errors)), ...notMade, ...notUpdated]
  await keepFailures(ctx, one.id, failures)
  for (const { row } of failures) duplicates.delete(row) // a row has only one outcome: it failed
  await saveImport(ctx, one, {
    status: 'processing',
    started_at: one.started_at ?? ctx.now,
    processed_rows: one.processed_rows + rows.length,
    imported_count: one.imported_count + inserted.length,
    updated_count: one.updated_count + updated.length,
    skipped_count: one.skipped_count + sound.length - misnamed.length - made.length - updates.length,
    duplicate_count: one.duplicate_count + duplicates.size,
    failed_count: one.failed_count + failures.length,
  })
  return distributed
}

/**
 * POST /leads/imports/{uuid}/run (LEAD-69). 422 on `status` before the mapping and for a second run; 403 as the options require.
 */
export async function runImport(ctx: Ctx, one: Import) {
  if (one.status !== 'uploaded' && one.status !== 'mapped')
    throw invalid({ status: `An import that is ${one.status} cannot be run again.` })
  mappingOf(one)
  await refuseUnpermitted(ctx, one)
  if (one.assignment_mode === 'equal' && !(await membersFor(ctx, one)).length)
    throw invalid({ assignment_mode: 'Nobody in the departments that you manage may be given leads.' })
  const run_id = await startRun(ctx, importJob, { import_id: one.id }, one.total_rows)
  await saveImport(ctx, one, { status: 'queued', run_id, run_by: ctx.actor.id })
}

// Remains of imports: rows of uploads that never ended, imports that were never run, and those whose run ended without updating
// them.

const A_DAY = 24 * 60 * 60

/** Fails imports whose run ended without updating them, for example because the user was suspended while it was queued. */
export async function sweepImports(ctx: Ctx) {
  const { rows: ended } = await sql<{ id: number; reason: string | null }>`
    select i.id, r.error as reason from lead_imports i join job_runs r on r.tenant_id = ${ctx.tenant.id} and r.id = i.run_id
    where i.tenant_id = ${ctx.tenant.id} and i.status in ('queued', 'processing') and r.state in ('failed', 'cancelled')
    order by i.id limit 100`.execute(ctx.tx)
  for (const { id, reason } of ended) await endImport(ctx, await lockById(ctx, id), 'failed', reason ?? 'It was cancelled.')
  await sweepUndoing(ctx)
  await forgetWaiting(ctx)
  await forgetUnfinished(ctx)
}

/** Deletes imports that were not run within a day, with their files. */
async function forgetWaiting(ctx: Ctx) {
  const waiting = await ctx
    .from('lead_imports')
    .select(['id', 'file_key'])
    .where('status', 'in', ['uploaded', 'mapped'])
    .where('updated_at', '<', plusSeconds(ctx.now, -A_DAY))
    .orderBy('id')
    .limit(100)
    .forUpdate()
    .execute()
  for (const { id, file_key } of waiting) {
    await dropChunks(ctx, id)
    await discardFile(ctx, file_key)
    await ctx.deleteFrom('lead_imports').where('id', '=', id).execute()
  }
}

/** Deletes rows whose import was never created. */
async function forgetUnfinished(ctx: Ctx) {
  const { rows } = await sql<{ import_id: number }>`
    select distinct import_id from lead_import_chunks where tenant_id = ${ctx.tenant.id} and created_at < ${plusSeconds(ctx.now, -A_DAY)}
      and import_id not in (select id from lead_imports where tenant_id = ${ctx.tenant.id})`.execute(ctx.tx)
  for (const { import_id } of rows) await dropChunks(ctx, import_id)
}
