/** What modules whose documents become e-invoices need of it, and those that know who buys. */

export { refuseWithoutVatId } from './buyers.ts'
export { deliveryInput, deliveryShown, refuseDelivery } from './delivery-fields.ts'
export { partyInput, partyShown } from './party-fields.ts'
