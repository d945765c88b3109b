/** The order of the catalogue, as somebody has dragged it (LEAD-23). */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { id } from '#kernel/values/fields.ts'
import { type Tag, tagsOf } from './tags.ts'

export const ReorderTags = z.object({
  ordered_ids: z
    .array(id().meta({ 'x-refers-to': 'lead_tag' }))
    .min(1)
    .max(1000, 'Must be at most 1000 tags.'),
})

/** The tags that are named come first, in this order; the others keep theirs behind them. Answers the catalogue as it stands then. */
export async function reorderTags(ctx: Ctx, { ordered_ids }: z.output<typeof ReorderTags>): Promise<Tag[]> {
  await lockCatalogue(ctx)
  const known = (await tagsOf(ctx)).map((tag) => tag.id)
  refuseStrangers(ordered_ids, known)
  const order = [...ordered_ids, ...known.filter((one) => !ordered_ids.includes(one))]
  await sql`
    update lead_tags set sort_order = place * 10, updated_at = ${ctx.now}, revision = revision + 1
    from unnest(${order}::bigint[]) with ordinality ordered (id, place)
    where lead_tags.tenant_id = ${ctx.tenant.id} and lead_tags.id = ordered.id and sort_order <> place * 10`.execute(ctx.tx)
  return tagsOf(ctx)
}

/** Two orders at once would mix: the later one waits. */
const lockCatalogue = (ctx: Ctx) =>
  sql`select from lead_tags where tenant_id = ${ctx.tenant.id} order by id for update`.execute(ctx.tx)

function refuseStrangers(ordered: number[], known: number[]) {
  const wrong = ordered.flatMap((one, n) => {
    if (!known.includes(one)) return [[`ordered_ids.${n}`, 'There is no such tag in this workspace.']]
    return ordered.indexOf(one) < n ? [[`ordered_ids.${n}`, 'This tag is named already.']] : []
  })
  if (wrong.length) throw invalid(Object.fromEntries(wrong))
}
