/** Changing follow-ups and completing them (LEAD-29, LEAD-31). */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { checkReferences } from '#kernel/records/references.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { changesOf } from '#kernel/values/fields.ts'
import { instantIn } from '#kernel/values/local-time.ts'
import { leads } from '../leads.ts'
import { CreateFollowUp, type FollowUp, followUps, refreshNext } from './follow-ups.ts'

export const ChangeFollowUp = changesOf(CreateFollowUp)

/** A follow-up of a lead in the actor's sight, both locked; 404 otherwise. */
export async function lockFollowUp(ctx: Ctx, leadId: number, { followUpId }: Record<string, string | number>): Promise<FollowUp> {
  await leads.lock(ctx, leadId)
  const followUp = await followUps.lock(ctx, followUpId!)
  if (followUp.lead_id !== leadId) throw notFound('There is no such follow-up.')
  return followUp
}

/** Changes what was sent; another time is a rescheduling. 422 on `due_at` once it is completed. */
export async function changeFollowUp(ctx: Ctx, followUp: FollowUp, { due_at, ...sent }: z.output<typeof ChangeFollowUp>) {
  await checkReferences(ctx, ChangeFollowUp, sent, followUp)
  const due = due_at === undefined ? followUp.due_at : instantIn(ctx, due_at)
  if (due !== followUp.due_at && followUp.status === 'completed')
    throw invalid({ due_at: 'A completed follow-up is not rescheduled.' })
  const saved = await followUps.save(ctx, followUp, { ...sent, due_at: due })
  const { id: follow_up_id, title, lead_id } = saved
  if (due !== followUp.due_at) {
    await logActivity(ctx, leads, lead_id, 'follow_up_rescheduled', { follow_up_id, title, from: followUp.due_at, to: due })
    await refreshNext(ctx, [lead_id])
  } else if (saved !== followUp) await logActivity(ctx, leads, lead_id, 'follow_up_updated', { follow_up_id, title })
  return followUps.show(ctx, follow_up_id)
}

/** pending → completed; 422 on `status` when it is completed already. */
export async function completeFollowUp(ctx: Ctx, followUp: FollowUp) {
  if (followUp.status === 'completed') throw invalid({ status: 'This follow-up is completed already.' })
  const { id: follow_up_id, title, lead_id } = followUp
  await followUps.save(ctx, followUp, { status: 'completed', completed_at: ctx.now })
  await logActivity(ctx, leads, lead_id, 'follow_up_completed', { follow_up_id, title })
  await refreshNext(ctx, [lead_id])
  return followUps.show(ctx, follow_up_id)
}
