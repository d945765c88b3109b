import { nullifyOnPurge } from '#kernel/records/on-purge.ts'
import { keepCorrected } from './correcting.ts'

/** Clears references to purged contacts and companies; credit notes stay. */
export default [nullifyOnPurge('credit_notes', { contacts: 'contact_id', companies: 'company_id' }), keepCorrected]
