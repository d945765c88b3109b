import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Projects remain when their contact, company or opportunity is purged. */
export default [nullifyOnPurge('projects', { contacts: 'contact_id', companies: 'company_id', opportunities: 'opportunity_id' })]
