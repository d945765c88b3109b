import { letGoOf } from '#kernel/records/letting-go.ts'

/** A credit note outlives the people and firms that it names. */
export default [letGoOf('credit_notes', { contacts: 'contact_id', companies: 'company_id' })]
