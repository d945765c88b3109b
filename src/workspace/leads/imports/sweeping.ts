/** What is left of imports: rows of files whose upload never ended, imports that nobody runs, and those whose run has ended without them. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { discardFile } from '#kernel/storage/uploads.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { dropChunks } from './chunks.ts'
import { endImport } from './finish.ts'
import { lockById } from './imports.ts'

const A_DAY = 24 * 60 * 60

/** A user who is suspended while their import waits ends its run without the import hearing of it. */
export async function sweepImports(ctx: Ctx) {
  const { rows: ended } = await sql<{ id: number; reason: string | null }>`
    select i.id, r.error as reason from lead_imports i join job_runs r on r.tenant_id = ${ctx.tenant.id} and r.id = i.run_id
    where i.tenant_id = ${ctx.tenant.id} and i.status in ('queued', 'processing') and r.state in ('failed', 'cancelled')
    order by i.id limit 100`.execute(ctx.tx)
  for (const { id, reason } of ended) await endImport(ctx, await lockById(ctx, id), 'failed', reason ?? 'It was cancelled.')
  await forgetWaiting(ctx)
  await forgetUnfinished(ctx)
}

/** Imports that nobody has run for a day, with their files. */
async function forgetWaiting(ctx: Ctx) {
  const waiting = await ctx.tx
    .selectFrom('lead_imports')
    .select(['id', 'file_key'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('status', 'in', ['uploaded', 'mapped'])
    .where('updated_at', '<', plusSeconds(ctx.now, -A_DAY))
    .orderBy('id')
    .limit(100)
    .forUpdate()
    .execute()
  for (const { id, file_key } of waiting) {
    await dropChunks(ctx, id)
    await discardFile(ctx, file_key)
    await ctx.tx.deleteFrom('lead_imports').where('tenant_id', '=', ctx.tenant.id).where('id', '=', id).execute()
  }
}

/** Rows whose import never came to be. */
async function forgetUnfinished(ctx: Ctx) {
  const { rows } = await sql<{ import_id: number }>`
    select distinct import_id from lead_import_chunks where tenant_id = ${ctx.tenant.id} and created_at < ${plusSeconds(ctx.now, -A_DAY)}
      and import_id not in (select id from lead_imports where tenant_id = ${ctx.tenant.id})`.execute(ctx.tx)
  for (const { import_id } of rows) await dropChunks(ctx, import_id)
}
