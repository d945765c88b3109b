/** Functions for modules whose documents are issued. */
export { issuedDocument } from './frozen.ts'
export { correct, frozenData, type Issuable, issue, paperOf, papersOf } from './issuing.ts'
export { replaceLogo } from './logo.ts'
export { paperRoutes } from './paper-routes.ts'
export { previewRoutes } from './preview-routes.ts'
