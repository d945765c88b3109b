import { letGoOf } from '#kernel/records/letting-go.ts'

/** A project outlives whom it was for and what it came from. */
export default [letGoOf('projects', { contacts: 'contact_id', companies: 'company_id', opportunities: 'opportunity_id' })]
