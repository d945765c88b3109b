/** Opportunities for other modules: lead conversion creates them and adds their contact later. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { revise } from '#kernel/records/changes.ts'
import { defaultsFor, opportunities } from './opportunities.ts'
import { CreateOpportunity } from './schema.ts'

/** Opportunity fields in the input of a conversion. */
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
 * Creates an opportunity and returns its id. The caller must have validated the links and the permission `opportunities.create`.
 * 422 on `opportunity.stage_id` and `opportunity.amount`.
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
 * Adds the missing contact to an opportunity. Needs `opportunities.update` (403) but ignores its assignee, or it would never get
 * the contact. A no-op when it has a contact or was deleted.
 */
export async function linkContact(ctx: Ctx, opportunityId: number, contactId: number) {
  const live = ctx.from('opportunities').selectAll().where('id', '=', opportunityId).where('deleted_at', 'is', null)
  const opportunity = await live.forUpdate().executeTakeFirst()
  if (!opportunity || opportunity.contact_id !== null) return
  ctx.require('opportunities.update')
  await revise(ctx, opportunities, opportunity, { contact_id: contactId })
}
