import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Quotations outlive what they name. */
export default [
  nullifyOnPurge('quotations', { contacts: 'contact_id', companies: 'company_id', invoices: 'converted_invoice_id' }),
]
