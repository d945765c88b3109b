/** The end of an import: what was done is told once to each user, and what was kept for the run is dropped. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { emit } from '#kernel/modules/events.ts'
import { emitAssigned } from '../assignment/assigning.ts'
import { dropChunks } from './chunks.ts'
import { type Import, saveImport } from './imports.ts'

export async function endImport(ctx: Ctx, one: Import, status: 'completed' | 'failed', error: string | null = null) {
  await saveImport(ctx, one, { status, error, finished_at: ctx.now })
  await dropChunks(ctx, one.id)
  await emitAssignments(ctx, one)
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

/** The lead of an import that made one; null where it has been deleted for good by now. */
async function onlyLead(ctx: Ctx, { uuid }: Import): Promise<number | null> {
  const { tenant, tx } = ctx
  const made = tx.selectFrom('leads').select('id').where('tenant_id', '=', tenant.id).where('batch_id', '=', uuid)
  return (await made.executeTakeFirst())?.id ?? null
}

interface ToEmit {
  user_id: number
  lead_ids: number[]
}

/** Whoever was given leads, the importer left out. The histories name the import as their batch. */
async function emitAssignments(ctx: Ctx, { uuid, run_by }: Import) {
  const { rows } = await sql<ToEmit>`
    select new_user_id as user_id, json_agg(lead_id order by lead_id) as lead_ids from lead_assignments
    where tenant_id = ${ctx.tenant.id} and batch_id = ${uuid} and new_user_id is distinct from ${run_by} and new_user_id is not null
    group by 1 order by 1`.execute(ctx.tx)
  for (const { user_id, lead_ids } of rows)
    await emitAssigned(ctx, user_id, lead_ids, { reason: null, source: 'import', batch_id: uuid })
}

/** The importer of all of them, and each assignee of theirs. */
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
