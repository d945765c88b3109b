/** Whom a document is for: the company, in care of the contact, or the contact alone. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { addressLines } from './branding.ts'

interface Named {
  contact_id: number | null
  company_id: number | null
}
interface Customer {
  name: string
  email: string | null
  company?: string | null
  address: string | null
  tax_id: string | null
}

/**
 * Whom it is addressed to, as it is printed (null: nobody), and where mails to them go: the contact's address, else the company's. It belongs to
 * the document: whoever may see that sees it, also where the contact is somebody else's, was deleted, or has lost its module.
 */
export async function customerOf(ctx: Ctx, { contact_id, company_id }: Named) {
  const [contact, company] = await Promise.all([read(ctx, 'contact', contact_id), read(ctx, 'company', company_id)])
  const named = company ?? contact
  const lines = [
    company ? contact?.name : contact?.company,
    company?.address ?? contact?.address,
    named?.tax_id && `Tax ID ${named.tax_id}`,
  ]
  return {
    printed: named ? { name: named.name, lines: addressLines(lines) } : null,
    email: contact?.email ?? company?.email ?? null,
  }
}

async function read(ctx: Ctx, type: 'contact' | 'company', id: number | null): Promise<Customer | undefined> {
  const subject = subjectOf(ctx, type)
  if (id === null || !subject) return undefined
  const { rows } = await sql<Customer>`
    select name, email, address, tax_id ${type === 'contact' ? sql`, company` : sql``} from ${sql.table(subject.table)} where tenant_id = ${ctx.tenant.id} and id = ${id}`.execute(
    ctx.tx,
  )
  return rows[0]
}
