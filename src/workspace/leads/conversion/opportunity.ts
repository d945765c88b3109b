/** The opportunity that a lead becomes, where that is asked for (LEAD-53, LEAD-54). */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { text } from '#kernel/values/fields.ts'
import { createOpportunity, linkContact, OpportunityFields } from '#workspace/opportunities/public.ts'
import type { Lead } from '../leads.ts'

/** Its name is required when one is to be made, and of no concern otherwise. */
export const Opportunity = OpportunityFields.extend({ name: text(255).optional() })

interface Sent {
  create_opportunity: boolean
  opportunity?: z.output<typeof Opportunity> | null
}

/** The lead's opportunity, if it has one: an earlier one gets the contact that it was made without, a new one is made where that was asked for. */
export async function opportunityOf(
  ctx: Ctx,
  { opportunity_id: earlier, assigned_to }: Lead,
  links: { contact_id: number | null; company_id: number | null },
  { create_opportunity, opportunity }: Sent,
): Promise<number | null> {
  if (create_opportunity) return create(ctx, earlier, { ...links, assigned_to }, opportunity ?? {})
  if (earlier !== null && links.contact_id !== null && ctx.entitled('opportunities'))
    await linkContact(ctx, earlier, links.contact_id)
  return earlier
}

async function create(
  ctx: Ctx,
  earlier: number | null,
  links: Parameters<typeof createOpportunity>[2],
  { name, ...fields }: z.output<typeof Opportunity>,
) {
  if (!ctx.entitled('opportunities'))
    throw invalid({ create_opportunity: 'The Opportunities module is not available for this workspace.' })
  if (earlier !== null) throw invalid({ create_opportunity: 'This lead has become an opportunity already.' })
  if (name === undefined) throw invalid({ 'opportunity.name': 'Is required.' })
  ctx.require('opportunities.create')
  return createOpportunity(ctx, { name, ...fields }, links)
}
