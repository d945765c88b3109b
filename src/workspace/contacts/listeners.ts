import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Clears the link to a purged company; the contact and its `company` text stay. */
export default [nullifyOnPurge('contacts', { companies: 'company_id' })]
