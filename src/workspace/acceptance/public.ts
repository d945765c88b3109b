/** Acceptance by customers, for the modules of the documents and for the public pages. */
export type { Acceptable } from './acceptable.ts'
export {
  AcceptDocument,
  AcceptedDocument,
  acceptByLink,
  OfferedDocument,
  readByLink,
  type SignedByLink,
  shownByLink,
  signedByLink,
  signedPdfByLink,
} from './by-link.ts'
export { acceptanceSentences, endLinks } from './links.ts'
export { acceptablePdf, byLink, emailAcceptable, openToAcceptance, refuseMailingAcceptable } from './paper.ts'
export { signatureField } from './signatures.ts'
export { acceptanceRoutes } from './staff-routes.ts'
