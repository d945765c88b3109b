import { letGoOf } from '#kernel/records/letting-go.ts'

/** A payment outlives the people and firms that it names. */
export default [letGoOf('payments', { contacts: 'contact_id', companies: 'company_id' })]
