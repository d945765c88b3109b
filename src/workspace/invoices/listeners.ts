import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** An invoice outlives the records that it names. Its own texts and figures stay. */
export default [
  nullifyOnPurge('invoices', {
    contacts: 'contact_id',
    companies: 'company_id',
    resellers: 'reseller_id',
    quotations: 'quotation_id',
    estimates: 'estimate_id',
    contracts: 'contract_id',
  }),
]
