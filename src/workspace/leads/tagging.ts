/**
 * Computes a lead's tags and the follow-ups that they require, and applies them (LEAD-24 … LEAD-27, LEAD-39). Stage and status
 * stay.
 */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import { checkReferences } from '#kernel/records/references.ts'
import { writeActivity } from '#kernel/records/timeline.ts'
import { id } from '#kernel/values/fields.ts'
import { instantText } from '#kernel/values/local-time.ts'
import { CreateFollowUp, insertFollowUps, refreshNext, refuseSuspended, type WantedFollowUp, wantedOf } from './follow-ups.ts'
import { type Lead, leads } from './leads.ts'
import { link, unlink } from './tag-links.ts'
import { type Tag, tagsOf } from './tags.ts'

// Pure functions without queries, for one lead or thousands.

/** Whether the tag marks a lead's type. */
const isOfType = ({ system }: Tag) => system === 'direct' || system === 'company'

/**
 * Returns the tags of a lead: the wanted ones, or else the workspace's defaults, plus the tag of its type, which excludes the
 * other type's (LEAD-09, LEAD-39). 422 on `tag_ids.N` for an unknown tag.
 */
export function tagsFor(catalogue: Tag[], type: 'direct' | 'company', wanted: number[] | null | undefined): Tag[] {
  const known = new Map(catalogue.map((tag) => [tag.id, tag]))
  const strange = (wanted ?? []).flatMap((id, n) => (known.has(id) ? [] : [`tag_ids.${n}`]))
  if (strange.length)
    throw invalid(Object.fromEntries(strange.map((field) => [field, 'There is no such tag in this workspace.'])))
  const asked = new Set(wanted)
  const chosen = (tag: Tag) => (wanted ? asked.has(tag.id) : tag.is_default)
  return catalogue.filter((tag) => (isOfType(tag) ? tag.system === type : chosen(tag)))
}

/**
 * Returns the follow-ups due to newly added tags (LEAD-25, LEAD-26): the one sent, which some tags require (422 on `follow_up`),
 * and one per tag that creates it automatically. They default to `assigned_to`.
 */
export function followUpsFor(
  ctx: Ctx,
  added: Tag[],
  sent: WantedFollowUp | undefined,
  assigned_to: number | null,
): WantedFollowUp[] {
  const insisting = added.find(({ behavior }) => behavior === 'force_follow_up')
  if (insisting && !sent) throw invalid({ follow_up: `Is required: the tag ${insisting.name} asks for one.` })
  const automatic = added.flatMap(({ behavior, id, name, auto_follow_up_days }) =>
    behavior === 'auto_follow_up'
      ? [{ title: `Follow up: ${name}`, due_at: inDays(ctx, auto_follow_up_days!), notes: null, assigned_to, lead_tag_id: id }]
      : [],
  )
  return [...(sent ? [{ ...sent, lead_tag_id: insisting?.id ?? null }] : []), ...automatic]
}

/** Returns the instant this many days from now, at the same time of day in the workspace's time zone. */
const inDays = (ctx: Ctx, days: number) =>
  instantText(Temporal.Instant.from(ctx.now).toZonedDateTimeISO(ctx.tenant.timezone).add({ days }).toInstant())

export const TagLead = z.object({
  tag_ids: z
    .array(id().meta({ 'x-refers-to': 'lead_tag' }))
    .max(100, 'Must be at most 100 tags.')
    .describe('Ids of all tags that it is to have; system tags are kept up by the service.'),
  follow_up: CreateFollowUp.nullish().describe('A follow-up to plan, which a tag may ask for.'),
})

type Sent = Partial<z.output<typeof TagLead>>

/** Replaces the lead's tags, always with the tag of its type; without `tag_ids` the others stay. */
export async function retag(ctx: Ctx, lead: Lead, { tag_ids, follow_up }: Sent) {
  const [catalogue, linked, asked] = await allPipelined(
    tagsOf(ctx),
    linkedTo(ctx, lead),
    tagsWithPendingFollowUp(ctx, lead),
    checkReferences(ctx, TagLead, { follow_up }),
    refuseSuspended(ctx, follow_up?.assigned_to, 'follow_up.assigned_to'),
  )
  const tags = tagsFor(catalogue, lead.lead_type, tag_ids ?? [...linked])
  const added = tags.filter((tag) => !linked.has(tag.id))
  const removed = catalogue.filter((tag) => linked.has(tag.id) && !tags.includes(tag))
  const isAnswered = (tag: Tag) => tag.behavior === 'auto_follow_up' && asked.has(tag.id)
  const sent = follow_up ? wantedOf(ctx, follow_up, lead.assigned_to) : undefined
  const toDo = followUpsFor(
    ctx,
    added.filter((tag) => !isAnswered(tag)),
    sent,
    lead.assigned_to,
  )
  if (added.length || removed.length) await replace(ctx, lead, added, removed, [...linked])
  if (!toDo.length) return
  await allPipelined(
    insertFollowUps(
      ctx,
      toDo.map((one) => ({ ...one, lead_id: lead.id })),
    ),
    refreshNext(ctx, [lead.id]),
  )
}

async function replace(ctx: Ctx, lead: Lead, added: Tag[], removed: Tag[], before: number[]) {
  await allPipelined(
    unlink(
      ctx,
      lead.id,
      removed.map((tag) => tag.id),
    ),
    link(
      ctx,
      added.map((tag) => ({ lead_id: lead.id, tag_id: tag.id })),
    ),
    leads.save(ctx, lead, {}), // increments the revision: `If-Match` guards the tags too
  )
  const named = (tags: Tag[]) => tags.filter((tag) => !isOfType(tag)).map(({ name }) => name)
  const told = { added: named(added), removed: named(removed) }
  if (!told.added.length && !told.removed.length) return
  const gone = new Set(removed.map(({ id }) => id))
  const after = [...before.filter((id) => !gone.has(id)), ...added.map(({ id }) => id)]
  await writeActivity(ctx, {
    ...{ table: leads.table, id: lead.id, type: 'tags_changed', properties: told },
    changed: { tag_ids: [before, after] },
  })
}

/** Returns the ids of a lead's tags. */
export async function linkedTo(ctx: Ctx, lead: Lead): Promise<Set<number>> {
  const links = await ctx.from('lead_tag_links').select('tag_id').where('lead_id', '=', lead.id).execute()
  return new Set(links.map(({ tag_id }) => tag_id))
}

async function tagsWithPendingFollowUp(ctx: Ctx, lead: Lead): Promise<Set<number | null>> {
  const pending = await ctx
    .from('lead_follow_ups')
    .select('lead_tag_id')
    .where('lead_id', '=', lead.id)
    .where('status', '=', 'pending')
    .where('lead_tag_id', 'is not', null)
    .execute()
  return new Set(pending.map(({ lead_tag_id }) => lead_tag_id))
}
