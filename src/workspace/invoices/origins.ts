/** Validates the origin of an invoice. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'

/**
 * INV-10: a quotation must exist in this workspace, whether or not its module is installed or the actor may see it. 422 on
 * `quotation_id`.
 */
export async function checkQuotation(ctx: Ctx, id: number | null | undefined) {
  if (id === null || id === undefined) return
  const quotations = subjectOf(ctx, 'quotation')
  const found =
    quotations &&
    (await sql`
      select 1 from ${sql.table(quotations.table)} where tenant_id = ${ctx.tenant.id} and id = ${id} and deleted_at is null`.execute(
      ctx.tx,
    ))
  if (!found?.rows.length) throw invalid({ quotation_id: 'There is no such quotation in this workspace.' })
}
