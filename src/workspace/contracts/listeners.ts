import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Contracts outlive what they name. */
export default [
  nullifyOnPurge('contracts', { contacts: 'contact_id', companies: 'company_id', invoices: 'converted_invoice_id' }),
]
