import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** A contact outlives the firm that it was linked to; what they called it (`company`) stays. */
export default [nullifyOnPurge('contacts', { companies: 'company_id' })]
