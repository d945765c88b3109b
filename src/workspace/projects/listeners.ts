import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** A project outlives whom it was for and what it came from. */
export default [nullifyOnPurge('projects', { contacts: 'contact_id', companies: 'company_id', opportunities: 'opportunity_id' })]
