/** What quotations and estimates have in common: a helper for these two modules. */
export { isConverted, offerDetail, offerShown } from './fields.ts'
export { defineOffer } from './offer.ts'
export { expireOverdue, offerRoutes, sentWidget } from './routes.ts'
