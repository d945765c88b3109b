/** Making of a lead what it has become: a contact, a company, an opportunity (LEAD-48 … LEAD-56). */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { addNote } from '#kernel/records/notes.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { optionalText } from '#kernel/values/fields.ts'
import { companyNamed } from '#workspace/companies/public.ts'
import { contactOf, noteOnContact } from '#workspace/contacts/public.ts'
import { changeStatus } from '../changing.ts'
import { type Converted, type Lead, leads } from '../leads.ts'
import { Opportunity, opportunityOf } from './opportunity.ts'

/** LEAD-49. */
export const ConvertLead = z.object({
  notes: optionalText(),
  create_opportunity: z.boolean().default(false),
  opportunity: Opportunity.nullish(),
})

/**
 * Closes the lead, once. Without Contacts it stays a stub: asked again when that is installed, it gets its contact, and whatever else
 * was missing. 422 on `lead` when there is nothing to convert any more; 403 where the actor may not make what would have to be made.
 */
export async function convert(ctx: Ctx, lead: Lead, { notes, ...sent }: z.output<typeof ConvertLead>) {
  const isFirst = lead.converted_at === null
  if (!isFirst) refuseUnlessStub(ctx, lead)
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

function refuseUnlessStub(ctx: Ctx, { is_stub }: Lead) {
  if (!is_stub) throw invalid({ lead: 'This lead is converted already.' })
  if (!ctx.entitled('contacts'))
    throw invalid({ lead: 'This lead is converted already. Once Contacts is installed, it can get its contact.' })
}

async function companyOf(ctx: Ctx, { company_id, company, assigned_to }: Lead): Promise<number | null> {
  const name = company?.trim()
  return company_id ?? (name && ctx.entitled('companies') ? companyNamed(ctx, name, { assigned_to }) : null)
}

/** On the contact and on the lead. */
async function note(ctx: Ctx, leadId: number, contactId: number | null, body: string) {
  await addNote(ctx, leads, leadId, body)
  if (contactId !== null) await noteOnContact(ctx, contactId, body)
}
