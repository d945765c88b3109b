/** Whom an invoice is for, as it is printed and mailed: what the invoice names, even where that was deleted since. */
import type { Ctx } from '#kernel/context.ts'
import { companyEvenDeleted } from '#workspace/companies/public.ts'
import { contactEvenDeleted } from '#workspace/contacts/public.ts'

interface Named {
  contact_id: number | null
  company_id: number | null
}

export interface Customer {
  name: string
  /** In care of, address, e-mail, phone, tax number: a line each. */
  lines: (string | null | undefined)[]
  /** The contact's address, else the company's (INV-55). */
  email: string | null
}

export async function customerOf(ctx: Ctx, { contact_id, company_id }: Named): Promise<Customer> {
  const [contact, company] = await Promise.all([
    contact_id === null ? undefined : contactEvenDeleted(ctx, contact_id),
    company_id === null ? undefined : companyEvenDeleted(ctx, company_id),
  ])
  const taxId = company?.tax_id ?? contact?.tax_id
  return {
    name: company?.name ?? contact?.name ?? '',
    lines: [
      company ? contact?.name : contact?.company,
      company?.address ?? contact?.address,
      contact?.email ?? company?.email,
      contact?.phone ?? company?.phone,
      taxId && `Tax ID ${taxId}`,
    ],
    email: contact?.email ?? company?.email ?? null,
  }
}
