/** Changing leads: what was sent, each part by the rule of its own. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { revise } from '#kernel/records/resource.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { assignLead } from './assignment/assigning.ts'
import { type Lead, leads } from './leads.ts'
import type { ChangeLead } from './schema.ts'
import { moveToStage } from './stages/moving.ts'
import { retag } from './tags/tagging.ts'
import { leadValue } from './value.ts'

/**
 * PUT /leads/:id (LEAD-39). Any status may follow any other; another type takes the tag of the former with it. `assigned_to` is dropped
 * where the actor may not assign.
 */
export async function changeLead(ctx: Ctx, lead: Lead, sent: z.output<typeof ChangeLead>) {
  const { status, stage_id, assigned_to, tag_ids, follow_up, estimated_value: _, ...fields } = sent
  let changed = await revise(ctx, leads, lead, { ...fields, lead_value: leadValue(ctx, sent) })
  if (assigned_to !== undefined && ctx.can('leads.assign')) changed = await assignLead(ctx, changed, { assigned_to })
  if (status && status !== lead.status) await changeStatus(ctx, changed, status)
  if (stage_id) await moveToStage(ctx, changed, stage_id)
  if (tag_ids || follow_up || changed.lead_type !== lead.lead_type)
    await retag(ctx, changed, { tag_ids: tag_ids ?? undefined, follow_up })
}

export const changeStatus = (ctx: Ctx, lead: Lead, status: Lead['status']) =>
  allPipelined(
    leads.save(ctx, lead, { status }),
    logActivity(ctx, leads, lead.id, 'status_changed', { from: lead.status, to: status }),
  )
