/** Modules of a workspace: the core's, and those with a subscription. */
import { sql } from 'kysely'
import type { BaseCtx, Ctx } from '../context.ts'
import type { Tx } from '../database/connect.ts'

/** Statuses of subscriptions that give a workspace a module. */
export const LIVE = ['trialing', 'active', 'past_due'] as const

/** Returns the keys of the modules installed in a workspace, sorted. */
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
 * Lock for installing and ending modules of a workspace, taken before any other lock. It serialises these changes, so that none
 * removes a module that a concurrent one requires. A lock of the workspace's row wouldn't do: on a cluster every node has a copy
 * of it.
 */
export const lockModules = ({ tx }: Pick<BaseCtx, 'tx'>, tenantId: number) =>
  sql`select pg_advisory_xact_lock(hashtextextended('modules of a workspace', ${tenantId}))`.execute(tx)

/** Whether a workspace can use a module. */
export const isEntitled = (ctx: Pick<Ctx, 'entitled'>, module: { key: string; core?: true }) =>
  module.core === true || ctx.entitled(module.key)
