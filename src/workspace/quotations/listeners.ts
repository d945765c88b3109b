import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Quotations remain when their contact, company or invoice is purged. */
export default [
  nullifyOnPurge('quotations', { contacts: 'contact_id', companies: 'company_id', invoices: 'converted_invoice_id' }),
]
