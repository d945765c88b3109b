/** What modules whose documents become e-invoices need of it, and those that know who buys. */
export { refuseWithoutVatId } from './buyers.ts'
export { COUNTRIES } from './codes.ts'
export { deliveryInput, deliveryShown, refuseDelivery } from './delivery-fields.ts'
export { checkBeforeIssue, dataToFreeze, type EInvoiced, type FrozenData, type IssuedData, incomplete } from './e-invoiced.ts'
export { partyInput, partyShown } from './party-fields.ts'
export { eInvoiceRoutes } from './routes-of.ts'
export type { Parties } from './semantics.ts'
