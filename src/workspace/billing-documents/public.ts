/** Shared parts of documents with lines and totals: purchase orders, quotations, estimates, invoices, credit notes. */
export { addressLines, printedNumbers, stationeryOf } from './branding.ts'
export { conversionGuard, convertToInvoice } from './conversion.ts'

export { customerInput, partiesShown, type Recipient, recipientOf, recipientsOf } from './customer.ts'
export { CustomerDocument } from './customer-document.ts'
export { printedCustomerDocument } from './customer-pdf.ts'

export {
  EmailDocument,
  emailDocument,
  emailDocuments,
  emailOffer,
  emailRoute,
  mailedTo,
  offerSentences,
  refuseUnmailable,
  type Signed,
  sinceOffered,
} from './emailing.ts'
export { acceptanceGuard, endOverdue, isOver, refuseOver } from './expiry.ts'
export { noticesIn, type TaxCategory, taxNotices } from './line-taxes.ts'
export {
  childrenOf,
  type LineTable,
  lineInput,
  linesField,
  linesOf,
  OFFER_COLUMNS,
  type OfferLine,
  OfferLineInput,
  offerLine,
  type StoredOfferLine,
  storedLines,
  storedLinesOf,
} from './lines.ts'
export { offerPapers } from './offer-papers.ts'
export { chipOf, drawingOf, type OfferPaper, type Paper, type Since } from './paper.ts'
export type { BillingDocumentPdf, TransferBlock } from './pdf.ts'
export { priceChanged, priceNew, updateDraft } from './pricing.ts'
export { printed, printedCorrection, printedDates, printedDelivery, printedSupply } from './printing.ts'
export {
  type Addressed,
  assertRecipientViewable,
  canViewRecipient,
  customerHidden,
  mayMailAddress,
  recipientAddresses,
  withoutAddress,
} from './recipient-visibility.ts'
export { taxBreakdown } from './tax-breakdown.ts'
export { computeTotals, DISCOUNT_TYPES } from './totals.ts'
