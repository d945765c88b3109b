import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Clears references to purged records. The invoice, its texts and its amounts stay. */
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
