import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** A payment outlives the people and firms that it names. */
export default [nullifyOnPurge('payments', { contacts: 'contact_id', companies: 'company_id' })]
