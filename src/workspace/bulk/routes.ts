import { BulkBatch, showBatch, undoBatch } from '#kernel/http/bulk.ts'
import { workspace } from '#kernel/http/route.ts'

/** Only its owner can find a batch. Undoing requires the permission for each record. */
const own = { allow: 'signed-in', anyKey: true, reply: BulkBatch } as const

export default [
  workspace.get(
    '/:uuid',
    {
      ...own,
      operation: 'showBulkBatch',
      summary: 'Show a bulk change',
      description: 'Answers how far a bulk change of the caller’s own is, and what it could not be done to.',
    },
    (ctx, { uuid }) => showBatch(ctx, uuid),
  ),
  workspace.post(
    '/:uuid/undo',
    {
      grants: false,
      ...own,
      operation: 'undoBulkBatch',
      summary: 'Undo a bulk change',
      message: 'Undone.',
      description:
        'Puts back what a bulk change of the caller’s own changed, within 30 days, but for records that somebody has changed since or that no longer may be changed so: `failed` has these.',
    },
    (ctx, { uuid }) => undoBatch(ctx, uuid),
  ),
]
