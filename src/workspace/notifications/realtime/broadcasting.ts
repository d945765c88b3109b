/** Says in every process that a notification was written, once that is committed (NTF-25): whoever holds its user's sockets reads and sends it. */
import type { Ctx } from '#kernel/context.ts'
import type { News } from '../audience.ts'

declare module '#kernel/database/channel.ts' {
  interface Topics {
    'notification.created': { tenant_id: number; user_id: number; id: string }
  }
}

export const broadcast = (ctx: Ctx, news: News[]) =>
  ctx.afterCommit(() => {
    for (const { id, viewer } of news)
      ctx.services.channel.publish('notification.created', { tenant_id: ctx.tenant.id, user_id: viewer.id, id })
  })
