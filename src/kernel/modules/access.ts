/** Notifies all processes that a workspace was opened or closed, or that its modules changed, so that they drop cached state. */
import type { BaseCtx } from '../context.ts'

declare module '../database/channel.ts' {
  interface Topics {
    'workspace.access': { tenant_id: number }
  }
}

/** Publishes after the commit. */
export const publishAccess = (ctx: BaseCtx, tenant_id: number) =>
  ctx.afterCommit(() => ctx.services.channel.publish('workspace.access', { tenant_id }))
