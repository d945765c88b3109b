import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Clears references to purged records; estimates stay. */
export default [
  nullifyOnPurge('estimates', { contacts: 'contact_id', companies: 'company_id', invoices: 'converted_invoice_id' }),
]
