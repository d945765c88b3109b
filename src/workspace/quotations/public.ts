/** Exports for other modules. */
import { quotationOffer } from './quotations.ts'

export const acceptableQuotation = quotationOffer.offered
