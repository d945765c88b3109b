import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** An opportunity outlives whom it was for. */
export default [nullifyOnPurge('opportunities', { contacts: 'contact_id', companies: 'company_id' })]
