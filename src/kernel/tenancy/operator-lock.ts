/** Lock of an operator's account on a cluster. */
import { sql } from 'kysely'
import type { BaseCtx } from '../context.ts'

/**
 * Locks an operator's account by id until the transaction ends. On a cluster every node has a copy of its row, and a row lock
 * needs all nodes: operators couldn't sign in while one is down. Does nothing on a single server, where callers lock the row.
 */
export async function lockOperator({ services, tx }: Pick<BaseCtx, 'services' | 'tx'>, id: number) {
  if (services.database.isCluster) await sql`select pg_advisory_xact_lock(hashtextextended('operator', ${id}))`.execute(tx)
}
