/** Putting tags on a lead and taking them off (LEAD-24 … LEAD-27, LEAD-39). Stage and status stay as they are. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { checkReferences } from '#kernel/records/references.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { id } from '#kernel/values/fields.ts'
import { insertFollowUps, wantedOf } from '../follow-ups/adding.ts'
import { CreateFollowUp, refreshNext } from '../follow-ups/follow-ups.ts'
import { type Lead, leads } from '../leads.ts'
import { followUpsFor, isOfType, tagsFor } from './choosing.ts'
import { link, unlink } from './links.ts'
import { type Tag, tagsOf } from './tags.ts'

export const TagLead = z.object({
  tag_ids: z.array(id().meta({ 'x-refers-to': 'lead_tag' })).max(100, 'Must be at most 100 tags.'),
  follow_up: CreateFollowUp.nullish(),
})

type Sent = Partial<z.output<typeof TagLead>>

/** Gives the lead these tags instead of those that it has, and the one of its type; without `tag_ids` it keeps the others. */
export async function retag(ctx: Ctx, lead: Lead, { tag_ids, follow_up }: Sent) {
  const [catalogue, linked, asked] = await allPipelined(
    tagsOf(ctx),
    linkedTo(ctx, lead),
    tagsWithPendingFollowUp(ctx, lead),
    checkReferences(ctx, TagLead, { follow_up }),
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
  if (added.length || removed.length) await replace(ctx, lead, added, removed)
  if (!toDo.length) return
  await allPipelined(
    insertFollowUps(
      ctx,
      toDo.map((one) => ({ ...one, lead_id: lead.id })),
    ),
    refreshNext(ctx, [lead.id]),
  )
}

async function replace(ctx: Ctx, lead: Lead, added: Tag[], removed: Tag[]) {
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
    leads.save(ctx, lead, {}), // another revision: `If-Match` guards the tags too
  )
  const named = (tags: Tag[]) => tags.filter((tag) => !isOfType(tag)).map(({ name }) => name)
  const told = { added: named(added), removed: named(removed) }
  if (told.added.length || told.removed.length) await logActivity(ctx, leads, lead.id, 'tags_changed', told)
}

/** The ids of the tags that a lead has. */
export async function linkedTo(ctx: Ctx, lead: Lead): Promise<Set<number>> {
  const links = await ctx.tx
    .selectFrom('lead_tag_links')
    .select('tag_id')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('lead_id', '=', lead.id)
    .execute()
  return new Set(links.map(({ tag_id }) => tag_id))
}

async function tagsWithPendingFollowUp(ctx: Ctx, lead: Lead): Promise<Set<number | null>> {
  const pending = await ctx.tx
    .selectFrom('lead_follow_ups')
    .select('lead_tag_id')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('lead_id', '=', lead.id)
    .where('status', '=', 'pending')
    .where('lead_tag_id', 'is not', null)
    .execute()
  return new Set(pending.map(({ lead_tag_id }) => lead_tag_id))
}
