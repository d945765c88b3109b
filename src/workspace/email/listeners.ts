import { deleteLinksOnPurge } from '#kernel/records/on-purge.ts'
import { LINK_TYPES } from './messages/schema.ts'

/** A message outlives what it was linked to. */
export default [deleteLinksOnPurge('email_message_links', LINK_TYPES, { type: 'linkable_type', id: 'linkable_id' })]
