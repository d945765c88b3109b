import { nullifyOnPurge } from '#kernel/records/on-purge.ts'
import { keepCorrected } from './correcting.ts'

/** A credit note outlives the people and firms that it names. */
export default [nullifyOnPurge('credit_notes', { contacts: 'contact_id', companies: 'company_id' }), keepCorrected]
