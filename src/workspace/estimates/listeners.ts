import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Estimates outlive what they name. */
export default [
  nullifyOnPurge('estimates', { contacts: 'contact_id', companies: 'company_id', invoices: 'converted_invoice_id' }),
]
