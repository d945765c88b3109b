/** Links between leads and tags. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { violationOf } from '#kernel/database/violations.ts'
import { invalid } from '#kernel/errors.ts'
import type { Filter } from '#kernel/records/listing.ts'
import { insertAll } from '#kernel/records/many-rows.ts'
import { computed } from '#kernel/records/view.ts'
import { queryId } from '#kernel/values/fields.ts'

const TagRef = z
  .object({ id: z.int(), name: z.string(), slug: z.string(), color: z.string().nullable() })
  .meta({ id: 'LeadTagRef' })

/** View field: the lead's tags in catalogue order. */
export const leadTags = () =>
  computed(
    z.array(TagRef),
    ({ ctx, table }) => sql`(
      select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'slug', t.slug, 'color', t.color) order by t.sort_order, t.name), '[]')
      from lead_tag_links l join lead_tags t on t.tenant_id = ${ctx.tenant.id} and t.id = l.tag_id
      where l.tenant_id = ${ctx.tenant.id} and l.lead_id = ${sql.ref(`${table}.id`)})`,
  )

const withAny = (ctx: Ctx, lead: unknown, tagIds: number[]) => sql<boolean>`exists (
  select from lead_tag_links l where l.tenant_id = ${ctx.tenant.id} and l.lead_id = ${lead} and l.tag_id = any(${tagIds}::bigint[]))`

/** Filters `?tag_id=7`, and `?tag_ids=7,9` for leads with any of them (LEAD-36). */
export const tagFilter: Filter<z.core.$ZodType<number>, never> = {
  schema: queryId().meta({ 'x-refers-to': 'lead_tag', title: 'Tag' }),
  where: (ctx: Ctx, tag, column) => withAny(ctx, column('id'), [tag]),
}
export const tagsFilter: Filter<z.core.$ZodType<number[]>, never> = {
  schema: z
    .string()
    .regex(/^\d{1,15}(,\d{1,15}){0,99}$/, 'Must be ids (whole numbers), separated by commas.')
    .meta({ description: 'Keeps those that have any of the tags of these ids, separated by commas.', examples: ['3,5'] })
    .transform((value) => value.split(',').map(Number)),
  where: (ctx: Ctx, tags, column) => withAny(ctx, column('id'), tags),
}

/** Adds tags to leads. 422 on `tag_ids` when one of them was deleted concurrently. */
export const link = (ctx: Ctx, links: { lead_id: number; tag_id: number }[]) =>
  insertAll(ctx, 'lead_tag_links', links).catch((error) => {
    if (violationOf(error)?.constraint !== 'lead_tag_links_tag') throw error
    throw invalid({ tag_ids: 'One of these tags has just been deleted.' })
  })

export async function unlink(ctx: Ctx, lead_id: number, tagIds: number[]) {
  if (!tagIds.length) return
  await ctx.deleteFrom('lead_tag_links').where('lead_id', '=', lead_id).where('tag_id', 'in', tagIds).execute()
}
