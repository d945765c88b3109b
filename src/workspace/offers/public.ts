/** Shared implementation of quotations and estimates, for these two modules only. */
export { isConverted, offerDetail, offerShown } from './fields.ts'
export { defineOffer } from './offer.ts'
export { expireOverdue, offerRoutes, sentWidget } from './routes.ts'
