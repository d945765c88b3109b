/** The customer of a document: the company, in care of the contact, or the contact alone. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { actorRef, nameRef, userRef } from '#kernel/records/embed.ts'
import { latestNote } from '#kernel/records/notes.ts'
import { optionalRef } from '#kernel/values/fields.ts'
import type { Language, Say } from '#workspace/document-texts/public.ts'
import { addressLines, printedNumbers, writtenAddress } from './branding.ts'

/** Fields in input. */
export const customerInput = { contact_id: optionalRef('contact'), company_id: optionalRef('company') }

/** Fields in replies, with the document's creator and assignee. */
export const partiesShown = {
  contact_id: z.int().nullable(),
  company_id: z.int().nullable(),
  contact: nameRef('contact_id', 'contact'),
  company: nameRef('company_id', 'company'),
  assigned_to: z.int().nullable(),
  assignee: userRef('assigned_to'),
  creator: actorRef('created_by'),
  latest_note: latestNote(),
}

interface Named {
  contact_id: number | null
  company_id: number | null
}
interface Customer {
  id: number
  name: string
  email: string | null
  company?: string | null
  /** Printed address; if it is empty, its parts are printed. */
  address: string | null
  street: string | null
  postcode: string | null
  city: string | null
  country: string | null
  tax_id: string | null
  vat_id: string | null
  buyer_reference: string | null
  language: Language | null
  languages: Language[]
}

/** Recipient of a document. */
export interface Recipient {
  /** Printed name and lines; null without a recipient. */
  printed(say: Say): { name: string; lines: string[] } | null
  /** Buyer reference on invoices, unless an invoice has its own. */
  reference: string | null
  /** Recipient of mails: the contact's address, else the company's. */
  email: string | null
  /** Languages of the company, else of the contact. None: the workspace's default. */
  languages: Language[]
}

/**
 * Reads the recipients of documents at once. Returns a function from a document to its recipient. Users who may see a document
 * see its recipient, even if the contact is assigned to somebody else or deleted, or its module was removed.
 */
export async function recipientsOf(ctx: Ctx, documents: Named[]): Promise<(document: Named) => Recipient> {
  const ids = (column: keyof Named) => [...new Set(documents.flatMap((document) => document[column] ?? []))]
  const [contacts, companies] = await Promise.all([
    read(ctx, 'contact', ids('contact_id')),
    read(ctx, 'company', ids('company_id')),
  ])
  return ({ contact_id, company_id }) => {
    const [contact, company] = [contacts.get(contact_id), companies.get(company_id)]
    const named = company ?? contact
    const care = company ? contact?.name : contact?.company
    return {
      printed: (say) =>
        named
          ? {
              name: named.name,
              lines: addressLines([
                care,
                (company && addressOf(company, say)) ?? (contact && addressOf(contact, say)),
                ...printedNumbers(say, { tax_id: named.tax_id, vat_id: named.vat_id }),
              ]),
            }
          : null,
      reference: named?.buyer_reference ?? null,
      email: contact?.email ?? company?.email ?? null,
      languages: [company, contact].map(languagesOf).find(({ length }) => length) ?? [],
    }
  }
}

const languagesOf = (customer: Customer | undefined): Language[] =>
  customer?.languages.length ? customer.languages : customer?.language ? [customer.language] : []

export const recipientOf = async (ctx: Ctx, document: Named): Promise<Recipient> =>
  (await recipientsOf(ctx, [document]))(document)

/** Address lines; without a printed address, from its parts, with the country's name. */
const addressOf = ({ address, ...parts }: Customer, say: Say) => address ?? (writtenAddress(parts, say.locale) || null)

async function read(ctx: Ctx, type: 'contact' | 'company', ids: number[]): Promise<Map<number | null, Customer>> {
  const subject = subjectOf(ctx, type)
  if (!ids.length || !subject) return new Map()
  const { rows } = await sql<Customer>`
    select id, name, email, address, street, postcode, city, country, tax_id, vat_id, buyer_reference, language, languages
      ${type === 'contact' ? sql`, company` : sql``}
    from ${sql.table(subject.table)} where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[])`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.id, row]))
}
