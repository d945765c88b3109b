/** Nobody works as somebody else once they can't work themselves, or have signed out. */
import { on } from '#kernel/modules/events.ts'
import { endAll } from './impersonation.ts'

export default [
  on('user.suspended', (ctx, { user_id }) => endAll(ctx, { user_id })),
  on('user.deleted', (ctx, { user_id }) => endAll(ctx, { user_id })),
  on('user.signed_out', (ctx, { token_id }) => endAll(ctx, { token_id })),
]
