/** Acceptance by customers, for the modules whose documents they accept and for the pages on which they do. */
export { type Acceptable, canonicalText } from './acceptable.ts'
export { AcceptDocument, AcceptedDocument, acceptByLink, OfferedDocument, readByLink } from './by-link.ts'
export { acceptanceSentences, endLinks, issueLink } from './links.ts'
export { paperOf, signatureField } from './signatures.ts'
export { acceptanceRoutes } from './staff-routes.ts'
