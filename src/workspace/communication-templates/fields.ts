/** One placeholder of a context: what it is called, and how its value is read from a record's detail view. */
import { z } from 'zod'
import type { Tenant } from '#kernel/context.ts'
import { formatAmount } from '#kernel/values/money.ts'

/** A detail view as an object. */
export type Shown = Record<string, unknown>

export interface Field {
  label: string
  description: string
  sample: string
  /** Null where the record has none. */
  value(record: Shown, tenant: Tenant): string | null
}

/** TPL-10 */
export const Placeholder = z
  .object({ key: z.string(), label: z.string(), group: z.string(), description: z.string(), sample: z.string() })
  .meta({ id: 'Placeholder' })
export type Placeholder = z.infer<typeof Placeholder>

export const field = (label: string, description: string, sample: string, value: Field['value']): Field => ({
  label,
  description,
  sample,
  value,
})

/** A column as it is. */
export const plain = (column: string) => (record: Shown) => (record[column] == null ? null : String(record[column]))

/** The name of an embedded reference; null also where the reader may not see it. */
export const name = (reference: string) => (record: Shown) => (record[reference] as { name: string } | null)?.name ?? null

export const firstName = (record: Shown) => (record.name as string).trim().split(/\s+/)[0] || null

/** `1,190.00 EUR`, in the record's currency, else the workspace's. */
export const amount = (column: string) => (record: Shown, tenant: Tenant) => {
  const currency = (record.currency as string | undefined) ?? tenant.currency
  return record[column] == null ? null : `${formatAmount(record[column] as number, currency, tenant.locale)} ${currency}`
}

/** A date as the workspace's language writes it. */
export const calendarDate = (column: string) => (record: Shown, tenant: Tenant) =>
  record[column] == null
    ? null
    : Temporal.PlainDate.from(record[column] as string).toLocaleString(tenant.locale, { dateStyle: 'medium' })
