/** Who buys: the company, in care of the contact, or the contact alone (as documents are addressed). */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import type { TaxCategory } from '#workspace/billing-documents/public.ts'

/** A row of contacts or companies, by the names of its columns; `field` says which: what is missing in it is told there. */
export interface Buyer {
  field: 'company' | 'contact'
  name: string
  email: string | null
  phone: string | null
  address: string | null
  street: string | null
  postcode: string | null
  city: string | null
  country: string | null
  vat_id: string | null
  einvoice_address: string | null
  buyer_reference: string | null
  /** Of a company: the person in it. */
  contact_name: string | null
}

interface Named {
  contact_id?: number | null
  company_id?: number | null
}

/** The buyers of documents, read at once: a function of each. Undefined for one that is for nobody in particular. */
export async function buyersOf(ctx: Ctx, documents: Named[]): Promise<(document: Named) => Buyer | undefined> {
  const [contacts, companies] = await Promise.all([
    read(
      ctx,
      'contact',
      documents.map(({ contact_id }) => contact_id),
    ),
    read(
      ctx,
      'company',
      documents.map(({ company_id }) => company_id),
    ),
  ])
  return ({ contact_id, company_id }) => {
    const [contact, company] = [contacts.get(contact_id!), companies.get(company_id!)]
    return company ? { ...company, email: contact?.email ?? company.email, contact_name: contact?.name ?? null } : contact
  }
}

async function read(ctx: Ctx, field: Buyer['field'], named: (number | null | undefined)[]): Promise<Map<number, Buyer>> {
  const ids = [...new Set(named.filter((id) => id != null))]
  const subject = subjectOf(ctx, field)
  if (!ids.length || !subject) return new Map()
  const { rows } = await sql<Buyer & { id: number }>`
    select id, ${field}::text as field, name, email, phone, address, street, postcode, city, country, vat_id, einvoice_address, buyer_reference,
      null::text as contact_name
    from ${sql.table(subject.table)} where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[])`.execute(ctx.tx)
  return new Map(rows.map(({ id, ...row }) => [id, row]))
}

const NEEDS: Partial<Record<TaxCategory, string>> = { AE: 'Reverse charge (AE)', K: 'An intra-Community supply (K)' }

/**
 * 422 on `lines.N.tax_category` where the buyer owes the tax, or acquires within the Union, and has no VAT id (BR-AE-02, BR-IC-02). One that
 * names no customer yet is a draft that may still get one, unless it `isIssued` now.
 */
export async function refuseWithoutVatId(
  ctx: Ctx,
  document: Named,
  lines: { tax_category?: string | null }[],
  { isIssued = false } = {},
) {
  const needing = lines.flatMap(({ tax_category }, n) => {
    const what = NEEDS[tax_category as TaxCategory]
    return what ? [[n, what] as const] : []
  })
  if (!needing.length) return
  const buyer = (await buyersOf(ctx, [document]))(document)
  if (buyer?.vat_id || (!buyer && !isIssued)) return
  const where = buyer ? `set vat_id of the ${buyer.field}` : 'name a customer who has one'
  throw invalid(
    Object.fromEntries(needing.map(([n, what]) => [`lines.${n}.tax_category`, `${what} needs the buyer’s VAT id: ${where}.`])),
  )
}
