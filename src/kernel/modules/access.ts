/** Telling every process that a workspace was opened or closed, or has other modules now: for those that remember it. */
import type { BaseCtx } from '../context.ts'

declare module '../database/channel.ts' {
  interface Topics {
    'workspace.access': { tenant_id: number }
  }
}

/** Told once the change is committed. */
export const publishAccess = (ctx: BaseCtx, tenant_id: number) =>
  ctx.afterCommit(() => ctx.services.channel.publish('workspace.access', { tenant_id }))
