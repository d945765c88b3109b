import { workspace } from '#kernel/http/route.ts'
import { Paging } from '#kernel/records/listing.ts'
import { leads } from '../leads.ts'
import { addFollowUp } from './adding.ts'
import { ChangeFollowUp, changeFollowUp, completeFollowUp, lockFollowUp } from './changing.ts'
import { CreateFollowUp, followUpList, LeadFollowUp } from './follow-ups.ts'

const { get, post, put } = workspace

const one = {
  allow: 'leads.update',
  record: lockFollowUp,
  reply: LeadFollowUp,
} as const

/** Below /leads. */
export default [
  get('/:id/follow-ups', { allow: 'leads.view', query: Paging, page: LeadFollowUp }, async (ctx, { id, query }) => {
    await leads.find(ctx, id)
    return followUpList.page(ctx, { ...query, lead_id: id })
  }),
  post(
    '/:id/follow-ups',
    {
      allow: 'leads.update',
      record: leads.lock,
      body: CreateFollowUp,
      reply: LeadFollowUp,
      status: 201,
      message: 'Follow-up planned.',
    },
    (ctx, { record, body }) => addFollowUp(ctx, record, body),
  ),
  put('/:id/follow-ups/:followUpId', { ...one, body: ChangeFollowUp, message: 'Follow-up saved.' }, (ctx, { record, body }) =>
    changeFollowUp(ctx, record, body),
  ),
  post('/:id/follow-ups/:followUpId/complete', { ...one, message: 'Follow-up completed.' }, (ctx, { record }) =>
    completeFollowUp(ctx, record),
  ),
]
