/** What crashes leave of imports: rows of files whose upload never ended, and imports whose run has ended without them. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { endImport } from './ending.ts'
import { lockById } from './imports.ts'

const A_DAY = 24 * 60 * 60

/** A user who is suspended while their import waits ends its run without the import hearing of it. */
export async function sweepImports(ctx: Ctx) {
  const { rows: ended } = await sql<{ id: number; reason: string | null }>`
    select i.id, r.error as reason from lead_imports i join job_runs r on r.tenant_id = ${ctx.tenant.id} and r.id = i.run_id
    where i.tenant_id = ${ctx.tenant.id} and i.status in ('queued', 'processing') and r.state in ('failed', 'cancelled')
    order by i.id limit 100`.execute(ctx.tx)
  for (const { id, reason } of ended) await endImport(ctx, await lockById(ctx, id), 'failed', reason ?? 'It was cancelled.')
  await sql`
    delete from lead_import_chunks where tenant_id = ${ctx.tenant.id} and created_at < ${plusSeconds(ctx.now, -A_DAY)}
      and import_id not in (select id from lead_imports where tenant_id = ${ctx.tenant.id})`.execute(ctx.tx)
}
