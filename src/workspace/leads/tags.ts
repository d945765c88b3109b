/** Catalogue of lead tags with its own order. Some require a follow-up; of system tags only the appearance can be changed. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { view } from '#kernel/records/view.ts'
import { choice, hardStamps, id, text, wholeNumber } from '#kernel/values/fields.ts'

export type Tag = Row<'lead_tags'>

/** LEAD-18: effect of adding the tag to a lead. */
const BEHAVIORS = ['none', 'auto_follow_up', 'force_follow_up'] as const

/** LEAD-20. */
export const CreateTag = z.object({
  name: text(100),
  slug: z
    .string()
    .toLowerCase()
    .max(100)
    .regex(/^[\p{L}\p{M}\p{N}]+(-[\p{L}\p{M}\p{N}]+)*$/u, 'Must be letters and digits, with hyphens between them.')
    .optional(),
  color: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/, 'Must be a colour, #RRGGBB.')
    .nullish(),
  sort_order: wholeNumber(0, 1_000_000).default(100),
  is_default: z.boolean().default(false),
  behavior: choice(BEHAVIORS)
    .describe('What the tag does when a lead gets it: nothing, plan a follow-up by itself, or ask for one.')
    .default('none'),
  auto_follow_up_days: wholeNumber(0, 365).nullish(),
})

/** LEAD-17, LEAD-19. `system` is the service's own use of a tag. */
export const LeadTag = view('lead_tags', 'LeadTag', {
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  color: z.string().nullable(),
  sort_order: z.int(),
  is_default: z.boolean().describe('Whether new leads get it where no tags are sent.'),
  behavior: choice(BEHAVIORS),
  auto_follow_up_days: z
    .int()
    .nullable()
    .meta({ description: 'In how many days the planned follow-up is due. Required with `auto_follow_up`.', examples: [3] }),
  system: z
    .enum(['direct', 'company', 'duplicate'])
    .nullable()
    .describe('What the service uses it for; null: it is the workspace’s own.'),
  ...hardStamps,
})

export const tags = lookupTable({
  table: 'lead_tags',
  noun: 'tag',
  item: LeadTag,
  unique: {
    lead_tags_name: { name: 'Another tag has this name.' },
    lead_tags_slug: { slug: 'Another tag has this slug: send one that is free.' },
  },
})

export const tagList = listing(tags, { search: ['name'], order: { by: ['sort_order', 'name'] }, hardDeleted: true })

/** Returns the whole catalogue in its order. */
export const tagsOf = (ctx: Ctx): Promise<Tag[]> =>
  ctx.from('lead_tags').selectAll().orderBy('sort_order').orderBy('name').orderBy('id').execute()

/** Creates a tag. The slug defaults to one derived from the name: `Call back` becomes `call-back`. */
export async function createTag(ctx: Ctx, { slug, ...tag }: z.output<typeof CreateTag>) {
  refuseMissingDays(tag)
  return tags.insert(ctx, { ...tag, slug: slug ?? slugOf(tag.name) })
}

/** Changes the fields sent. A new name alone keeps the slug. */
export async function updateTag(ctx: Ctx, tag: Tag, sent: Partial<z.output<typeof CreateTag>>) {
  if (tag.system) refuseSystemChanges(tag, sent)
  refuseMissingDays({ ...tag, ...sent })
  return tags.save(ctx, tag, sent as Partial<Tag>)
}

/** Deletes a tag for good and removes it from every lead (LEAD-22). Its follow-ups stay. */
export async function deleteTag(ctx: Ctx, tag: Tag) {
  if (tag.system) throw invalid({ tag: 'The service itself uses this tag; it cannot be deleted.' })
  await ctx.update('lead_follow_ups').set({ lead_tag_id: null }).where('lead_tag_id', '=', tag.id).execute()
  await tags.remove(ctx, tag)
}

function refuseMissingDays(tag: { behavior: string; auto_follow_up_days?: number | null }) {
  if (tag.behavior === 'auto_follow_up' && tag.auto_follow_up_days == null)
    throw invalid({ auto_follow_up_days: 'Is required when the tag makes follow-ups by itself.' })
}

function refuseSystemChanges(tag: Tag, sent: Partial<z.output<typeof CreateTag>>) {
  const wrong = (['name', 'slug', 'is_default', 'behavior'] as const).filter(
    (field) => sent[field] !== undefined && sent[field] !== tag[field],
  )
  const message = 'The service itself uses this tag; its colour and its place can be changed, this cannot.'
  if (wrong.length) throw invalid(Object.fromEntries(wrong.map((field) => [field, message])))
}

/** `Call back` becomes `call-back`; letters of any script are preserved. */
const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '') || 'tag'

// Order of the catalogue after drag and drop (LEAD-23).

export const ReorderTags = z.object({
  ordered_ids: z
    .array(id().meta({ 'x-refers-to': 'lead_tag' }))
    .min(1)
    .max(1000, 'Must be at most 1000 tags.')
    .meta({ description: 'Ids of the tags in their new order.', examples: [[3, 1, 2]] }),
})

/** Moves the given tags to the front in this order; the others follow in their present order. Returns the catalogue. */
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

/** Lock that serialises concurrent reorderings, which would mix otherwise. */
const lockCatalogue = (ctx: Ctx) =>
  sql`select from lead_tags where tenant_id = ${ctx.tenant.id} order by id for update`.execute(ctx.tx)

function refuseStrangers(ordered: number[], known: number[]) {
  const wrong = ordered.flatMap((one, n) => {
    if (!known.includes(one)) return [[`ordered_ids.${n}`, 'There is no such tag in this workspace.']]
    return ordered.indexOf(one) < n ? [[`ordered_ids.${n}`, 'This tag is named already.']] : []
  })
  if (wrong.length) throw invalid(Object.fromEntries(wrong))
}
