/** Ends impersonations when the actor or target is suspended or deleted, or signs out. */
import { on } from '#kernel/modules/events.ts'
import { endAll } from './impersonation.ts'

export default [
  on('user.suspended', (ctx, { user_id }) => endAll(ctx, { user_id })),
  on('user.deleted', (ctx, { user_id }) => endAll(ctx, { user_id })),
  on('user.signed_out', (ctx, { token_id }) => endAll(ctx, { token_id })),
]
