import { deleteLinksOnPurge } from '#kernel/records/on-purge.ts'
import { LINK_TYPES } from './messages/schema.ts'

/** Deletes a message's links to purged records; the message stays. */
export default [deleteLinksOnPurge('email_message_links', LINK_TYPES, { type: 'linkable_type', id: 'linkable_id' })]
