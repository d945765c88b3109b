import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Clears references to purged records; contracts stay. */
export default [
  nullifyOnPurge('contracts', { contacts: 'contact_id', companies: 'company_id', invoices: 'converted_invoice_id' }),
]
