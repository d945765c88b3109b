import { nullifyOnPurge } from '#kernel/records/letting-go.ts'

/** Estimates outlive what they name. */
export default [nullifyOnPurge('estimates', { contacts: 'contact_id', companies: 'company_id', invoices: 'converted_invoice_id' })]
