import { deleteLinksOnPurge } from '#kernel/records/on-purge.ts'
import { linkTypes } from './links.ts'

/** Deletes links to purged records; the document stays. */
export default [deleteLinksOnPurge('document_links', linkTypes, { type: 'type', id: 'subject_id' })]
