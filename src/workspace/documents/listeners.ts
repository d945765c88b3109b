import { deleteLinksOnPurge } from '#kernel/records/on-purge.ts'
import { linkTypes } from './links.ts'

/** A document outlives what it was linked to. */
export default [deleteLinksOnPurge('document_links', linkTypes, { type: 'type', id: 'subject_id' })]
