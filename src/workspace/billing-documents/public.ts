/** What documents with lines and totals share: purchase orders now; invoices, quotations and credit notes next. */
export { brandingOf, linesOf } from './branding.ts'
export { billingDocumentEmail, EmailDocument, EmailedDocument, emailDocument } from './emailing.ts'
export { billingDocument } from './pdf.ts'
export { computeTotals } from './totals.ts'
