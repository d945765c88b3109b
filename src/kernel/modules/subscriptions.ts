/** Which modules a workspace has: the core's, and those that it is subscribed to. */
import type { Ctx } from '../context.ts'
import type { Tx } from '../database/connect.ts'

/** Subscriptions by which a workspace has a module. */
export const LIVE = ['trialing', 'active', 'past_due'] as const

/** The keys of the modules that are installed in a workspace, in their order. */
export async function installedModules(tx: Tx, tenantId: number): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('module_subscriptions')
    .select('module_key')
    .where('tenant_id', '=', tenantId)
    .where('status', 'in', LIVE)
    .orderBy('module_key')
    .execute()
  return new Set(rows.map(({ module_key }) => module_key))
}

/** Whether a workspace's module is there to be used. */
export const isEntitled = (ctx: Pick<Ctx, 'entitled'>, module: { key: string; core?: true }) =>
  module.core === true || ctx.entitled(module.key)
