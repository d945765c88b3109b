/** What other modules may ask of quotations. */
export { acceptableQuotation } from './answering.ts'
