/** Which tags a lead gets, and which follow-ups these ask for: decided here, for one lead or for thousands, without the database. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { instantText } from '#kernel/values/local-time.ts'
import type { WantedFollowUp } from '../follow-ups/adding.ts'
import type { Tag } from './tags.ts'

/** Whether it says of which type a lead is. */
export const isOfType = ({ system }: Tag) => system === 'direct' || system === 'company'

/**
 * The tags of a lead: those that are wanted, or the workspace's defaults where nobody says, and always the one of its type, which
 * excludes the other one (LEAD-09, LEAD-39). 422 on `tag_ids.N` for an id that is no tag of the workspace.
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
 * What is to be done because these tags were put on a lead (LEAD-25, LEAD-26): the follow-up that was sent, which some tags insist on
 * (422 on `follow_up`), and one for each tag that makes them by itself. `assigned_to` is whose they are unless it was said.
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

/** The instant so many days from now at this time of day, by the workspace's calendar. */
const inDays = (ctx: Ctx, days: number) =>
  instantText(Temporal.Instant.from(ctx.now).toZonedDateTimeISO(ctx.tenant.timezone).add({ days }).toInstant())
