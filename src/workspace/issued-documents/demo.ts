/** Freezes issued demo documents, a batch at a time. Their first PDFs are rendered on request. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { freeze, type Issuable } from './issuing.ts'

const BATCH = 500

/** Freezes the documents of a kind that meet a condition. */
export async function fillIssued(ctx: Ctx, issuable: Issuable, issued: RawBuilder<SqlBool>) {
  const { table } = issuable.of
  for (let after = 0, full = true; full; ) {
    const { rows } = await sql<{ id: number; at: string }>`
      select id, app.iso(created_at) as at from ${sql.table(table)} where tenant_id = ${ctx.tenant.id} and id > ${after} and ${issued} order by id limit ${BATCH}`.execute(
      ctx.tx,
    )
    if (rows.length) await freeze(ctx, issuable, rows)
    after = rows.at(-1)?.id ?? after
    full = rows.length === BATCH
  }
}
