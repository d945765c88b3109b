/** What other modules may ask of opportunities: a lead becomes one, and gives it its contact later. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { revise } from '#kernel/records/changes.ts'
import { defaultsFor, opportunities } from './opportunities.ts'
import { CreateOpportunity } from './schema.ts'

/** What may be sent of an opportunity with something that becomes one. */
export const OpportunityFields = CreateOpportunity.pick({
  name: true,
  amount: true,
  currency: true,
  probability: true,
  expected_close_date: true,
  stage_id: true,
})

interface Links {
  contact_id: number | null
  company_id: number | null
  assigned_to: number | null
}

/**
 * Makes an opportunity and answers its id. The links are stored as they are given: the caller has made sure of them, and that the
 * actor holds `opportunities.create`. 422 on `opportunity.stage_id` and `opportunity.amount`.
 */
export async function createOpportunity(ctx: Ctx, fields: z.output<typeof OpportunityFields>, links: Links): Promise<number> {
  const opportunity = await opportunities.insert(ctx, {
    ...fields,
    ...links,
    ...(await defaultsFor(ctx, fields, 'opportunity.')),
  })
  return opportunity.id
}

/**
 * Gives an opportunity the contact that it was made without; needs `opportunities.update` (403), and nothing else: whose opportunity it is
 * doesn't matter, or it would stay without for ever. Nothing happens when it has one already or was deleted.
 */
export async function linkContact(ctx: Ctx, opportunityId: number, contactId: number) {
  const live = ctx.from('opportunities').selectAll().where('id', '=', opportunityId).where('deleted_at', 'is', null)
  const opportunity = await live.forUpdate().executeTakeFirst()
  if (!opportunity || opportunity.contact_id !== null) return
  ctx.require('opportunities.update')
  await revise(ctx, opportunities, opportunity, { contact_id: contactId })
}
