/** What other modules may ask of quotations. */
import { quotationOffer } from './quotations.ts'

export const acceptableQuotation = quotationOffer.offered
