/** A user's sockets are judged at once, in every process, when something was done that ends sessions of theirs. */
import type { Ctx } from '#kernel/context.ts'

declare module '#kernel/database/channel.ts' {
  interface Topics {
    'realtime.judge': { tenant_id: number; user_id: number }
  }
}

export const judgeSockets = (ctx: Ctx, user_id: number) =>
  ctx.afterCommit(() => ctx.services.channel.publish('realtime.judge', { tenant_id: ctx.tenant.id, user_id }))
