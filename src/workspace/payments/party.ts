/** Whom a payment came from or a credit note is for, as it is printed: what it names, even where that was deleted since. */
import type { Ctx } from '#kernel/context.ts'
import { addressLines } from '#workspace/billing-documents/public.ts'
import { companyEvenDeleted } from '#workspace/companies/public.ts'
import { contactEvenDeleted } from '#workspace/contacts/public.ts'

interface Naming {
  contact_id: number | null
  company_id: number | null
}

export async function partyOf(ctx: Ctx, { contact_id, company_id }: Naming) {
  const [contact, company] = await Promise.all([
    contact_id === null ? undefined : contactEvenDeleted(ctx, contact_id),
    company_id === null ? undefined : companyEvenDeleted(ctx, company_id),
  ])
  const taxId = company?.tax_id ?? contact?.tax_id
  return {
    name: company?.name ?? contact?.name ?? '',
    lines: addressLines([
      company ? contact?.name : contact?.company,
      company?.address ?? contact?.address,
      contact?.email ?? company?.email,
      taxId && `Tax ID ${taxId}`,
    ]),
  }
}
