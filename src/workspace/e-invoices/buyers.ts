/** The buyer of a document: the company, in care of the contact, or the contact alone (as documents are addressed). */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import type { TaxCategory } from '#workspace/billing-documents/public.ts'

/** Columns of a contact or company. `field` is the kind, so that errors about missing data refer to it. */
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
  /** Contact person of a company. */
  contact_name: string | null
}

interface Named {
  contact_id?: number | null
  company_id?: number | null
}

/** Reads the buyers of documents at once. Returns a function from a document to its buyer; undefined if it has no customer. */
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
 * 422 on `lines.N.tax_category` if the buyer owes the tax, or acquires within the Union, and has no VAT id (BR-AE-02, BR-IC-02).
 * A draft without a customer is accepted, because it may still get one, unless it `isIssued` now.
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
