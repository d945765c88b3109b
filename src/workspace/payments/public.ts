/** What invoices and credit notes may ask of payments. It imports nothing of invoices, because invoices import it. */
export { checkClaims, inFull } from './claims.ts'
export { transferBlock } from './online/credit-transfer.ts'
export { enabledMethods } from './online/methods.ts'
export { issuePayLink, payButton, throughPayLink } from './online/pay-links.ts'
export { paymentAllocations, paymentsReceived } from './received.ts'
export { positiveAmount } from './schema.ts'
export { settledInvoices } from './settled.ts'
