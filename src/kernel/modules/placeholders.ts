/**
 * Template placeholders declared by modules: a context per kind of record, with fields that read its detail view (TPL-03,
 * TPL-10).
 */
import type { Tenant } from '../context.ts'
import type { SubjectType } from '../names.ts'
import { formatAmount } from '../values/money.ts'

/** Placeholders for one kind of record. */
export interface PlaceholderContext {
  /** Kind of record, and name of the context. */
  subject: SubjectType
  label: string
  fields: Record<string, Field>
}

/** `export default definePlaceholders({ subject: 'truck', … })` in a module's `placeholders.ts`. */
export const definePlaceholders = (context: PlaceholderContext) => context

/** A detail view as an object. */
export type Shown = Record<string, unknown>

/** A placeholder: its texts for the editor, and its value. */
export interface Field {
  label: string
  description: string
  sample: string
  /** Returns the value; null if the record has none. */
  value(record: Shown, tenant: Tenant): string | null
}

export const field = (label: string, description: string, sample: string, value: Field['value']): Field => ({
  label,
  description,
  sample,
  value,
})

/** Value of a column, unchanged. */
export const plain = (column: string) => (record: Shown) => (record[column] == null ? null : String(record[column]))

/** Name of an embedded reference; null also if the reader can't see it. */
export const name = (reference: string) => (record: Shown) => (record[reference] as { name: string } | null)?.name ?? null

export const firstName = (record: Shown) => (record.name as string).trim().split(/\s+/)[0] || null

/** `1,190.00 EUR`, in the record's currency, else the workspace's. */
export const amount = (column: string) => (record: Shown, tenant: Tenant) => {
  const currency = (record.currency as string | undefined) ?? tenant.currency
  return record[column] == null ? null : `${formatAmount(record[column] as number, currency, tenant.locale)} ${currency}`
}

/** A date in the format of the workspace's language. */
export const calendarDate = (column: string) => (record: Shown, tenant: Tenant) =>
  record[column] == null
    ? null
    : Temporal.PlainDate.from(record[column] as string).toLocaleString(tenant.locale, { dateStyle: 'medium' })

// Fields shared by several contexts.

export const customer = {
  contact_name: field('Contact', 'Name of the linked contact', 'Maria Silva', name('contact')),
  company_name: field('Company', 'Name of the linked company', 'Silva & Filhos', name('company')),
}
export const address = field('Address', 'Postal address', '12 Rua Augusta, Lisboa', plain('address'))
export const email = field('E-mail', 'E-mail address', 'maria@example.com', plain('email'))
export const phone = field('Phone', 'Phone number', '+351 210 000 000', plain('phone'))
export const status = (sample: string) =>
  field('Status', 'Present status', sample, ({ status }) => String(status).replaceAll('_', ' '))
export const person = {
  name: field('Name', 'Full name', 'Maria Silva', plain('name')),
  first_name: field('First name', 'The name up to its first space', 'Maria', firstName),
}
