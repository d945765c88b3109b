/** What documents with lines and totals share: purchase orders, quotations, estimates, invoices, credit notes. */
export { addressLines, brandingOf } from './branding.ts'
export { billingDocumentEmail, EmailDocument, EmailedDocument, emailDocument } from './emailing.ts'
export {
  childrenOf,
  type LineTable,
  lineInput,
  linesField,
  linesOf,
  OFFER_COLUMNS,
  OfferLineInput,
  offerLine,
  storedLines,
  storedLinesOf,
} from './lines.ts'
export { billingDocument } from './pdf.ts'
export { priceChanged, priceNew } from './pricing.ts'
export { printed } from './printing.ts'
export { computeTotals, DISCOUNT_TYPES } from './totals.ts'
