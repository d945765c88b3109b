/**
 * Cleans up imports: files whose upload never ended, imports that nobody runs, those whose run has ended without them, and old
 * ones.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { KEPT_DAYS } from '#kernel/import/undo.ts'
import { discardFile } from '#kernel/storage/uploads.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { dropChunks, lockById } from './imports.ts'
import { endImport, endUndoing } from './run.ts'

const A_DAY = 24 * 60 * 60

/** Ends imports whose run has ended, and deletes old imports with their files. */
export async function sweepImports(ctx: Ctx) {
  await endOrphans(ctx)
  const { rows: old } = await sql<{ id: number; file_key: string }>`
    select id, file_key from imports where tenant_id = ${ctx.tenant.id} and (
      status in ('uploaded', 'mapped') and updated_at < ${plusSeconds(ctx.now, -A_DAY)}
      or status in ('completed', 'failed', 'undone') and created_at < ${plusSeconds(ctx.now, -KEPT_DAYS * A_DAY)})
    order by id limit 100 for update`.execute(ctx.tx)
  for (const { id, file_key } of old) {
    await dropChunks(ctx, id)
    await ctx.deleteFrom('import_failures').where('import_id', '=', id).execute()
    await ctx.deleteFrom('import_records').where('import_id', '=', id).execute()
    await ctx.deleteFrom('imports').where('id', '=', id).execute()
    await discardFile(ctx, file_key)
  }
}

/** Ends imports whose run has ended, for example because their user was suspended: the import itself isn't notified. */
async function endOrphans(ctx: Ctx) {
  const { rows } = await sql<{ id: number; reason: string | null }>`
    select i.id, r.error as reason from imports i
    join job_runs r on r.tenant_id = ${ctx.tenant.id} and r.id = case i.status when 'undoing' then i.undo_run_id else i.run_id end
    where i.tenant_id = ${ctx.tenant.id} and i.status in ('queued', 'processing', 'undoing') and r.state in ('failed', 'cancelled')
    order by i.id limit 100`.execute(ctx.tx)
  for (const { id, reason } of rows) {
    const one = await lockById(ctx, id)
    await (one.status === 'undoing' ? endUndoing : endImport)(ctx, one, reason ?? 'It was cancelled.')
  }
}

/** Deletes stored previous values of a record once it is purged. */
export async function forgetRecord(ctx: Ctx, { table, id }: { table: string; id: number }) {
  await sql`
    delete from import_records r using imports i
    where r.tenant_id = ${ctx.tenant.id} and r.record_id = ${id} and i.tenant_id = ${ctx.tenant.id} and i.id = r.import_id and i.record_table = ${table}`.execute(
    ctx.tx,
  )
}
