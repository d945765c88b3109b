/** How modules are sold and billed. */
export { type Account, lockAccount } from './accounts.ts'
export { type Opened, openPaymentPage } from './checkout.ts'
export { billedByMonth, lastMonths, recurringRevenue } from './figures.ts'
export { invoicePdf } from './invoice-pdf.ts'
export { billNew, termsOf } from './selling.ts'
export { settle } from './settlement.ts'
export { startTerm } from './terms.ts'
export { creditUnused } from './unused.ts'
