import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Nulls a lead's contact, company and opportunity ids when those are purged; `converted_at` stays. */
export default [nullifyOnPurge('leads', { contacts: 'contact_id', companies: 'company_id', opportunities: 'opportunity_id' })]
