/** Which modules a workspace has: the core's, and those that it is subscribed to. */
import { sql } from 'kysely'
import type { BaseCtx, Ctx } from '../context.ts'
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

/**
 * Whoever installs or ends modules of a workspace takes this lock before any other: one at a time, so that no module loses what it requires
 * to somebody else who is as fast. The row of the workspace wouldn't do: on a cluster every machine has a copy of it.
 */
export const lockModules = ({ tx }: Pick<BaseCtx, 'tx'>, tenantId: number) =>
  sql`select pg_advisory_xact_lock(hashtextextended('modules of a workspace', ${tenantId}))`.execute(tx)

/** Whether a workspace's module is there to be used. */
export const isEntitled = (ctx: Pick<Ctx, 'entitled'>, module: { key: string; core?: true }) =>
  module.core === true || ctx.entitled(module.key)
