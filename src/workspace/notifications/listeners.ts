/** Listeners that create notifications, for the kinds that modules declare. */
import { on } from '#kernel/modules/events.ts'
import { KINDS } from './catalogue.ts'
import { notifyMentioned, notifyOfBatch, notifyOfEvent } from './news.ts'
import { judgeSockets } from './realtime/channels.ts'
import { forgetUser } from './retention.ts'

export default [
  on('record.mentioned', notifyMentioned),
  on('batch.ended', notifyOfBatch),
  ...KINDS.map((kind) => on(kind.type, (ctx, event) => notifyOfEvent(ctx, kind, event))),

  on('user.signed_out', async (ctx, { user_id }) => judgeSockets(ctx, user_id)),
  on('user.suspended', async (ctx, { user_id }) => judgeSockets(ctx, user_id)),
  on('user.deleted', async (ctx, { user_id }) => {
    await forgetUser(ctx, user_id)
    judgeSockets(ctx, user_id)
  }),
]
