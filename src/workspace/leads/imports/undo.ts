/**
 * Undoes an import of leads (POST /leads/imports/{uuid}/undo). Created leads are deleted. Updated leads and those tagged as
 * duplicates are restored, and notes and follow-ups from the rows are deleted.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { type Collection, collectionAt, performWithin, routeOf } from '#kernel/http/collections.ts'
import { parseStored } from '#kernel/http/input.ts'
import { type Done, defineUndoJob, KEPT_DAYS, type KeptRecord, keepDone } from '#kernel/import/undo.ts'
import { startRun } from '#kernel/jobs/batch-job.ts'
import { emit } from '#kernel/modules/events.ts'
import { revise } from '#kernel/records/changes.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { emitAssigned, handOver } from '../assignment.ts'
import { refreshNext } from '../follow-ups.ts'
import { type Lead, leads } from '../leads.ts'
import { linkedTo } from '../tagging.ts'
import { tagsOf } from '../tags.ts'
import { type Import, lockById, saveImport } from './imports.ts'

const TABLES = { imports: 'lead_imports', records: 'lead_import_records' } as const

// Undo records, stored by each batch.

/** Columns of an existing lead that a row can change. */
const COLUMNS = [
  ...(['name', 'lead_type', 'email', 'phone', 'company', 'job_title', 'source', 'lead_value', 'priority', 'status'] as const),
  ...(['stage_id', 'assigned_to', 'commission_rate', 'external_id'] as const),
] as const

type Before = Pick<Lead, (typeof COLUMNS)[number]> & { tag_ids: number[] }

/** Returns the state of a lead that undoing restores. */
export const keptOf = (lead: Lead, tag_ids: number[]): Before =>
  ({ ...Object.fromEntries(COLUMNS.map((column) => [column, lead[column]])), tag_ids }) as Before

/** Undo record of a lead, with the ids of the notes and follow-ups that its row added. */
export interface Deed extends Omit<Done, 'revision'> {
  note_ids?: number[]
  follow_up_ids?: number[]
}

/** Stores a batch's undo records in the order of the changes. */
export async function keepDeeds(ctx: Ctx, importId: number, deeds: Deed[]) {
  if (!deeds.length) return
  const found = await ctx
    .from('leads')
    .select(['id', 'revision'])
    .where('id', 'in', [...new Set(deeds.map(({ record_id }) => record_id))])
    .execute()
  const revisions = new Map(found.map(({ id, revision }) => [id, revision]))
  const done = deeds.map(({ note_ids: _, follow_up_ids: __, ...deed }) => ({ ...deed, revision: revisions.get(deed.record_id)! }))
  await keepDone(ctx, TABLES, importId, done)
  const beside = deeds.filter(({ note_ids, follow_up_ids }) => note_ids?.length || follow_up_ids?.length)
  for (const { record_id, note_ids = [], follow_up_ids = [] } of beside)
    await sql`
      update lead_import_records set note_ids = note_ids || ${note_ids}::bigint[], follow_up_ids = follow_up_ids || ${follow_up_ids}::bigint[]
      where tenant_id = ${ctx.tenant.id} and import_id = ${importId} and record_id = ${record_id}`.execute(ctx.tx)
}

// Undo job.

export const undoJob = defineUndoJob<Import>({
  name: 'leads-import-undo',
  tables: TABLES,

  async lock(ctx, importId) {
    const one = await lockById(ctx, importId)
    return one.undo_status === 'undoing' ? one : undefined
  },

  async way(ctx, one) {
    const collection = await allowed(ctx, one)
    return {
      of: leads,
      areApart: (some) => collection.plain.has('delete') && some.every(({ before }) => !before),
      back: (part, kept) => takeBack(part, collection, one, kept),
    }
  },

  count: saveImport,
  end: endUndoing,
})

async function endUndoing(ctx: Ctx, one: Import, error: string | null) {
  await saveImport(
    ctx,
    one,
    error === null ? { undo_status: 'undone' } : { undo_status: null, undo_error: error.slice(0, 2000), undone_at: null },
  )
  await emit(ctx, 'batch.ended', { batch_id: one.uuid })
}

/** 403 without the permissions that undoing needs. */
async function allowed(ctx: Ctx, one: Import): Promise<Collection> {
  ctx.require('leads.import')
  const collection = await collectionAt(ctx, (path) => path.endsWith('/leads'))
  if (one.imported_count) routeOf(ctx, collection, 'delete')
  if (one.updated_count) routeOf(ctx, collection, 'update')
  return collection
}

async function takeBack(ctx: Ctx, collection: Collection, one: Import, { record_id: id, before }: KeptRecord) {
  if (before) await putBack(ctx, collection, one, id, before as Before)
  else await performWithin(ctx, routeOf(ctx, collection, 'delete'), id, undefined)
}

async function putBack(ctx: Ctx, collection: Collection, one: Import, id: number, before: Before) {
  const route = routeOf(ctx, collection, 'update')
  const lead = await leads.lock(ctx, id)
  const { assigned_to, commission_rate, tag_ids, ...columns } = before
  const changes: Record<string, unknown> = Object.fromEntries(
    Object.entries(columns).filter(([column, value]) => lead[column as keyof typeof columns] !== value),
  )
  if (changes.lead_value) changes.lead_value = Number(changes.lead_value)
  if (assigned_to !== lead.assigned_to || commission_rate !== lead.commission_rate) ctx.require('leads.assign')
  const linked = await linkedTo(ctx, lead)
  const there = new Set((await tagsOf(ctx)).map((tag) => tag.id))
  const tags = new Set(tag_ids.filter((tag) => there.has(tag)))
  if (linked.symmetricDifference(tags).size) changes.tag_ids = [...tags]
  if (Object.keys(changes).length) await performWithin(ctx, route, id, parseStored(route.spec.body!, changes))
  if (assigned_to !== lead.assigned_to) await giveBack(ctx, one, lead, before)
  else await revise(ctx, leads, await leads.lock(ctx, id), { commission_rate })
  await takeAway(ctx, one.id, id)
}

/** Restores the previous assignee, even one the actor could not assign now. Unassigned where that user is deleted. */
async function giveBack(ctx: Ctx, { uuid }: Import, lead: Lead, { assigned_to, commission_rate }: Before) {
  const of = ctx.from('users').select(['id', 'name']).where('id', '=', assigned_to).where('deleted_at', 'is', null)
  const to = assigned_to === null ? undefined : await of.executeTakeFirst()
  const deed = { reason: null, source: 'import', batch_id: uuid } as const
  await handOver(ctx, [lead], { id: to?.id ?? null, name: to?.name ?? null, commission_rate }, deed)
  if (to) await emitAssigned(ctx, to.id, [lead.id], deed)
}

/** Deletes a lead's notes from the rows, and follow-ups from the rows that nobody has changed since. */
async function takeAway(ctx: Ctx, importId: number, id: number) {
  const kept = sql`from lead_import_records r where r.tenant_id = ${ctx.tenant.id} and r.import_id = ${importId} and r.record_id = ${id}`
  const notes = await sql`
    delete from notes where tenant_id = ${ctx.tenant.id} and subject_type = 'leads' and subject_id = ${id}
      and id = any(array(select unnest(r.note_ids) ${kept})) returning 1`.execute(ctx.tx)
  const followUps = await sql`
    delete from lead_follow_ups where tenant_id = ${ctx.tenant.id} and lead_id = ${id} and status = 'pending' and revision = 1
      and id = any(array(select unnest(r.follow_up_ids) ${kept})) returning 1`.execute(ctx.tx)
  if (followUps.rows.length) await refreshNext(ctx, [id])
  const fields = [...(notes.rows.length ? ['notes'] : []), ...(followUps.rows.length ? ['follow_ups'] : [])]
  if (!fields.length) return
  await leads.save(ctx, await leads.lock(ctx, id), {})
  await logActivity(ctx, leads, id, 'updated', { fields })
}

/**
 * POST /leads/imports/{uuid}/undo. 422 on `status` before the import has ended, for a second time, and where its undo records are
 * gone.
 */
export async function undoImport(ctx: Ctx, one: Import) {
  if (one.undo_status) throw invalid({ status: one.undo_status === 'undone' ? 'It has been undone.' : 'It is being undone.' })
  if (one.status !== 'completed' && one.status !== 'failed')
    throw invalid({ status: `An import that is ${one.status} cannot be undone.` })
  await allowed(ctx, one)
  const { total } = await ctx
    .from('lead_import_records')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('import_id', '=', one.id)
    .executeTakeFirstOrThrow()
  if (one.finished_at! < plusSeconds(ctx.now, -KEPT_DAYS * 24 * 60 * 60) || (!total && one.imported_count + one.updated_count))
    throw invalid({ status: `What it did is kept for ${KEPT_DAYS} days, and is no longer known.` })
  const undo_run_id = await startRun(ctx, undoJob, { import_id: one.id }, total)
  await saveImport(ctx, one, { undo_status: 'undoing', undo_run_id, undone_at: ctx.now, undo_error: null })
}

/**
 * Ends undoing whose run ended without updating it, for example because its user was suspended. Deletes undo records past their
 * retention.
 */
export async function sweepUndoing(ctx: Ctx) {
  const { rows: ended } = await sql<{ id: number; reason: string | null }>`
    select i.id, r.error as reason from lead_imports i join job_runs r on r.tenant_id = ${ctx.tenant.id} and r.id = i.undo_run_id
    where i.tenant_id = ${ctx.tenant.id} and i.undo_status = 'undoing' and r.state in ('failed', 'cancelled')
    order by i.id limit 100`.execute(ctx.tx)
  for (const { id, reason } of ended) await endUndoing(ctx, await lockById(ctx, id), reason ?? 'It was cancelled.')
  await sql`
    delete from lead_import_records where tenant_id = ${ctx.tenant.id} and import_id in (
      select i.id from lead_imports i
      where i.tenant_id = ${ctx.tenant.id} and i.finished_at < ${plusSeconds(ctx.now, -KEPT_DAYS * 24 * 60 * 60)}
        and i.undo_status is distinct from 'undoing'
        and exists (select from lead_import_records r where r.tenant_id = ${ctx.tenant.id} and r.import_id = i.id)
      order by i.finished_at limit 100)`.execute(ctx.tx)
}
