import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** A lead lets go of what it became when that is deleted for good; that it was converted stays. */
export default [nullifyOnPurge('leads', { contacts: 'contact_id', companies: 'company_id', opportunities: 'opportunity_id' })]
