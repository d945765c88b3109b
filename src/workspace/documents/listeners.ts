import { deleteLinksOnPurge } from '#kernel/records/letting-go.ts'
import { linkTypes } from './links.ts'

/** A document outlives what it was linked to. */
export default [deleteLinksOnPurge('document_links', linkTypes, { type: 'type', id: 'subject_id' })]
