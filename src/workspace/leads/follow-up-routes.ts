/** Routes that plan, change and complete follow-ups of a lead (LEAD-29, LEAD-31). */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { workspace } from '#kernel/http/route.ts'
import { Paging } from '#kernel/records/listing.ts'
import { addNote } from '#kernel/records/notes.ts'
import { checkReferences } from '#kernel/records/references.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { changesOf, optionalText } from '#kernel/values/fields.ts'
import { instantIn } from '#kernel/values/local-time.ts'
import {
  addFollowUp,
  CreateFollowUp,
  type FollowUp,
  followUpList,
  followUps,
  insertFollowUps,
  LeadFollowUp,
  refreshNext,
  refuseSuspended,
  wantedOf,
} from './follow-ups.ts'
import { leads } from './leads.ts'

const ChangeFollowUp = changesOf(CreateFollowUp)

/** Locks a lead that the actor may see and one of its follow-ups; 404 otherwise. */
async function lockFollowUp(ctx: Ctx, leadId: number, { followUpId }: Record<string, string | number>): Promise<FollowUp> {
  await leads.lock(ctx, leadId)
  const followUp = await followUps.lock(ctx, followUpId!)
  if (followUp.lead_id !== leadId) throw notFound('There is no such follow-up.')
  return followUp
}

/** Changes the fields sent; a new time counts as rescheduling. 422 on `due_at` once it is completed. */
async function changeFollowUp(ctx: Ctx, followUp: FollowUp, { due_at, ...sent }: z.output<typeof ChangeFollowUp>) {
  await allPipelined(
    checkReferences(ctx, ChangeFollowUp, sent, followUp),
    refuseSuspended(ctx, sent.assigned_to, 'assigned_to', followUp.assigned_to),
  )
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

const CompleteFollowUp = z.object({
  note: optionalText().meta({ description: 'What came of it: a note on the lead.', examples: ['Wants a quotation by Friday.'] }),
  next: CreateFollowUp.nullish().describe('The next follow-up to plan with it.'),
})

/** pending → completed; 422 on `status` when it is already completed. */
async function completeFollowUp(ctx: Ctx, followUp: FollowUp, { note, next }: z.output<typeof CompleteFollowUp>) {
  if (followUp.status === 'completed') throw invalid({ status: 'This follow-up is completed already.' })
  await allPipelined(
    checkReferences(ctx, CompleteFollowUp, { next }),
    refuseSuspended(ctx, next?.assigned_to, 'next.assigned_to'),
  )
  const { id: follow_up_id, title, lead_id } = followUp
  await followUps.save(ctx, followUp, { status: 'completed', completed_at: ctx.now })
  await logActivity(ctx, leads, lead_id, 'follow_up_completed', { follow_up_id, title })
  if (note?.trim()) await addNote(ctx, leads, lead_id, note.trim())
  if (next) await insertFollowUps(ctx, [{ ...wantedOf(ctx, next, followUp.assigned_to), lead_id }])
  await refreshNext(ctx, [lead_id])
  return followUps.show(ctx, follow_up_id)
}

const { get, post, put } = workspace

const one = {
  allow: 'leads.update',
  record: lockFollowUp,
  reply: LeadFollowUp,
} as const

/** Routes under /leads. */
export default [
  get('/:id/follow-ups', { allow: 'leads.view', query: Paging, page: LeadFollowUp }, async (ctx, { id, query }) => {
    await leads.find(ctx, id)
    return followUpList.page(ctx, { ...query, lead_id: id })
  }),
  post(
    '/:id/follow-ups',
    {
      allow: 'leads.update',
      grants: false,
      record: leads.lock,
      body: CreateFollowUp,
      reply: LeadFollowUp,
      status: 201,
      message: 'Follow-up planned.',
    },
    (ctx, { record, body }) => addFollowUp(ctx, record, body),
  ),
  put(
    '/:id/follow-ups/:followUpId',
    { grants: false, ...one, body: ChangeFollowUp, message: 'Follow-up saved.' },
    (ctx, { record, body }) => changeFollowUp(ctx, record, body),
  ),
  post(
    '/:id/follow-ups/:followUpId/complete',
    {
      grants: false,
      ...one,
      body: CompleteFollowUp,
      message: 'Follow-up completed.',
      description:
        'Notes that the follow-up was done, with what came of it and the next one where they are sent. One that is done already is a 422 on `status`.',
    },
    (ctx, { record, body }) => completeFollowUp(ctx, record, body),
  ),
]
