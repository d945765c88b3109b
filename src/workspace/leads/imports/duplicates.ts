/**
 * Leads of today that rows matched: each gets the Duplicate tag, and is told about once when the import ends (LEAD-67). A lead that
 * such a row becomes all the same is made with the tag.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { logEach } from '../rows.ts'

/**
 * Begins a batch: holds the row of the Duplicate tag, so that two imports of a workspace take turns and each finds what the other one
 * has made. Gives the tag.
 */
export const lockDuplicates = (ctx: Ctx) =>
  ctx.tx
    .selectFrom('lead_tags')
    .select(['id', 'name'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('system', '=', 'duplicate')
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Tags those of the leads that haven't the tag yet. Ids of leads that were not made after all are passed over. */
export async function markDuplicates(ctx: Ctx, importId: number, tag: { id: number; name: string } | undefined, ids: number[]) {
  if (!ids.length || !tag) return
  await sql`
    insert into lead_import_duplicates (tenant_id, import_id, lead_id)
    select ${ctx.tenant.id}::bigint, ${importId}::bigint, id from leads where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[])
    on conflict do nothing returning 1`.execute(ctx.tx)
  const { rows } = await sql<{ lead_id: number }>`
    insert into lead_tag_links (tenant_id, lead_id, tag_id)
    select ${ctx.tenant.id}::bigint, id, ${tag.id}::bigint from leads where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[])
    on conflict do nothing returning lead_id`.execute(ctx.tx)
  if (!rows.length) return
  const tagged = rows.map(({ lead_id }) => lead_id)
  await sql`
    update leads set updated_at = ${ctx.now}, revision = revision + 1
    where tenant_id = ${ctx.tenant.id} and id = any(${tagged}::bigint[])`.execute(ctx.tx)
  const properties = { added: [tag.name], removed: [] }
  await logEach(
    ctx,
    'tags_changed',
    tagged.map((lead_id) => ({ lead_id, properties })),
  )
}
