import { letGoOf } from '#kernel/records/letting-go.ts'

/** Estimates outlive what they name. */
export default [letGoOf('estimates', { contacts: 'contact_id', companies: 'company_id', invoices: 'converted_invoice_id' })]
