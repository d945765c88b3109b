/** Conversion of a lead to a contact, a company and an opportunity (LEAD-48 … LEAD-56). */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { addNote } from '#kernel/records/notes.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { optionalText, text } from '#kernel/values/fields.ts'
import { companyNamed } from '#workspace/companies/public.ts'
import { contactOf, noteOnContact } from '#workspace/contacts/public.ts'
import { createOpportunity, linkContact, OpportunityFields } from '#workspace/opportunities/public.ts'
import { type Converted, type Lead, leads } from './leads.ts'
import { changeStatus } from './saving.ts'

// The opportunity created on request by a conversion (LEAD-53, LEAD-54).

/** `name` is required only when an opportunity is created. */
const Opportunity = OpportunityFields.extend({ name: text(255).optional() })

interface Sent {
  create_opportunity: boolean
  opportunity?: z.output<typeof Opportunity> | null
}

/** Returns the lead's opportunity, if any. An existing one gets the contact it lacked; a new one is created on request. */
async function opportunityOf(
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

/** LEAD-49. */
export const ConvertLead = z.object({
  notes: optionalText().meta({ description: 'A note to write on the lead.', examples: ['Signed at the fair.'] }),
  create_opportunity: z.boolean().default(false).describe('true also makes an opportunity (of `opportunity`).'),
  opportunity: Opportunity.nullish().describe('The opportunity to make; `name` is required then.'),
})

/**
 * Closes the lead, once. Without Contacts it remains a stub; converting again after installation adds the contact and other
 * missing records. 422 on `lead` when nothing is left to convert; 403 where the actor may not create one of the records.
 */
export async function convert(ctx: Ctx, lead: Lead, { notes, ...sent }: z.output<typeof ConvertLead>) {
  const isFirst = lead.converted_at === null
  const company_id = await companyOf(ctx, lead)
  const contact_id = ctx.entitled('contacts') ? await contactOf(ctx, { ...lead, company_id }) : null
  const made: Converted = {
    contact_id,
    company_id,
    opportunity_id: await opportunityOf(ctx, lead, { contact_id, company_id }, sent),
  }
  const saved = await leads.save(ctx, lead, {
    ...made,
    is_stub: contact_id === null,
    converted_at: lead.converted_at ?? ctx.now,
  })
  await logActivity(ctx, leads, lead.id, isFirst ? 'converted' : 'conversion_completed', made)
  if (isFirst && lead.status !== 'closed') await changeStatus(ctx, saved, 'closed')
  if (notes) await note(ctx, lead.id, contact_id, notes.trim())
}

/** 422 on `lead` when nothing is left to convert. */
export function refuseConverted(ctx: Ctx, { converted_at, is_stub }: Lead) {
  if (converted_at === null) return
  if (!is_stub) throw invalid({ lead: 'This lead is converted already.' })
  if (!ctx.entitled('contacts'))
    throw invalid({ lead: 'This lead is converted already. Once Contacts is installed, it can get its contact.' })
}

async function companyOf(ctx: Ctx, { company_id, company, assigned_to }: Lead): Promise<number | null> {
  const name = company?.trim()
  return company_id ?? (name && ctx.entitled('companies') ? companyNamed(ctx, name, { assigned_to }) : null)
}

/** Adds the note to the contact and to the lead. */
async function note(ctx: Ctx, leadId: number, contactId: number | null, body: string) {
  await addNote(ctx, leads, leadId, body)
  if (contactId !== null) await noteOnContact(ctx, contactId, body)
}
