import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Opportunities remain when their contact or company is purged. */
export default [nullifyOnPurge('opportunities', { contacts: 'contact_id', companies: 'company_id' })]
