/** What documents with lines and totals share: purchase orders, quotations, estimates, invoices, credit notes. */
export { addressLines, brandingOf } from './branding.ts'
export { convertToInvoice } from './conversion.ts'
export { customerOf } from './customer.ts'
export { CustomerDocument, customerDocument } from './customer-document.ts'
export { customerPdf, printedCustomerDocument, type Signed } from './customer-pdf.ts'
export {
  EmailDocument,
  emailDocument,
  emailOffer,
  offerSentences,
  refuseUnmailable,
} from './emailing.ts'
export { endOverdue, refuseOver } from './expiry.ts'
export {
  childrenOf,
  type LineTable,
  lineInput,
  linesField,
  linesOf,
  OFFER_COLUMNS,
  OfferLineInput,
  offerLine,
  type StoredOfferLine,
  storedLines,
  storedLinesOf,
} from './lines.ts'
export { customerInput, offerDetail, offerInput, offerShown, partiesShown } from './offers.ts'
export { emailRoute, pdfRoute } from './paper-routes.ts'
export { billingDocument } from './pdf.ts'
export { priceChanged, priceNew, updateDraft } from './pricing.ts'
export { printed } from './printing.ts'
export { computeTotals, DISCOUNT_TYPES } from './totals.ts'
