/** Running an import: batch by batch, each of which commits its leads together with the counts and the place of the next one. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { HttpError, invalid } from '#kernel/errors.ts'
import { defineBatchJob, startRun } from '#kernel/jobs/batch-job.ts'
import { reserveIds } from '../rows.ts'
import { chunkAt } from './chunks.ts'
import { lockDuplicates, markDuplicates } from './duplicates.ts'
import { keepFailures, rejected, WHOLE } from './failures.ts'
import { endImport } from './finish.ts'
import { type Import, lockById, mappingOf, saveImport } from './imports.ts'
import { distribute, insertNew, type NewLead } from './inserting.ts'
import { Matcher } from './matching.ts'
import { membersFor, refuseUnpermitted } from './options.ts'
import type { FileRow } from './reading/limits.ts'
import { type Update, updateMatched } from './updating.ts'
import { taggedWith, validateRows } from './validate-rows.ts'

/** Which batch comes next, and how many leads were distributed so far. */
interface Cursor {
  chunk: number
  given: number
}

/** With the rights that whoever runs it has by then. */
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
      await fail(ctx, one, lost)
      return { next: undefined, done: 0 }
    }
    const rows = await chunkAt(ctx, import_id, chunk)
    if (!rows) {
      if (one.processed_rows < one.total_rows) await fail(ctx, one, new Error('Rows of the file are missing. Upload it again.'))
      else await endImport(ctx, one, 'completed')
      return { next: undefined, done: 0 }
    }
    const next = await importBatch(ctx, one, rows, { tag, given })
    return { next: { chunk: chunk + 1, given: next }, done: rows.length, total: one.total_rows }
  },

  async failed(ctx, { import_id }, error) {
    await fail(ctx, await lockById(ctx, import_id), error)
  },
})

async function fail(ctx: Ctx, one: Import, error: Error) {
  const reason = error.message.slice(0, 2000)
  await keepFailures(ctx, one.id, [{ row: WHOLE, reason, errors: null }])
  await endImport(ctx, one, 'failed', reason)
}

/** How many leads were distributed by then. */
async function importBatch(
  ctx: Ctx,
  one: Import,
  rows: FileRow[],
  { tag, given }: { tag: Awaited<ReturnType<typeof lockDuplicates>>; given: number },
) {
  const { sound, wrong } = await validateRows(ctx, one, rows)
  const matcher = new Matcher(one.unique_fields)
  await matcher.learn(ctx, sound)
  const ids = await reserveIds(ctx, sound.length)
  const made: NewLead[] = []
  const updates: Update[] = []
  const todays = new Set<number>()
  const duplicates = new Set<FileRow>()
  for (const row of sound) {
    const match = matcher.match(row)
    if (match.todays !== undefined) todays.add(match.todays)
    if (match.lead !== undefined) duplicates.add(row.row)
    if (match.lead === undefined || one.duplicate_mode === 'keep') {
      const id = ids[made.length]!
      const isOfToday = match.todays !== undefined && tag
      made.push({ id, from: isOfToday ? { ...row, draft: taggedWith(row.draft, tag.id) } : row })
      matcher.add(row, id)
    } else if (one.duplicate_mode === 'update') updates.push({ id: match.lead, by: row })
  }
  const distributed = distribute(made, await membersFor(ctx, one), given)
  const notMade = await insertNew(ctx, one.uuid, made)
  const notUpdated = await updateMatched(ctx, one.uuid, updates)
  await markDuplicates(ctx, one.id, tag, [...todays])
  const failures = [...wrong.map(({ row, errors }) => rejected(row, errors)), ...notMade, ...notUpdated]
  await keepFailures(ctx, one.id, failures)
  for (const { row } of failures) duplicates.delete(row) // each row counts as failed or as something else
  await saveImport(ctx, one, {
    status: 'processing',
    started_at: one.started_at ?? ctx.now,
    processed_rows: one.processed_rows + rows.length,
    imported_count: one.imported_count + made.length - notMade.length,
    updated_count: one.updated_count + updates.length - notUpdated.length,
    skipped_count: one.skipped_count + sound.length - made.length - updates.length,
    duplicate_count: one.duplicate_count + duplicates.size,
    failed_count: one.failed_count + failures.length,
  })
  return distributed
}

/** POST /leads/imports/{uuid}/run (LEAD-69). 422 on `status` before the mapping and the second time; 403 as the options ask. */
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
