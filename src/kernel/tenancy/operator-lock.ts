/** The lock of an operator's account on a cluster. */
import { sql } from 'kysely'
import type { BaseCtx } from '../context.ts'

/**
 * Locks an operator's account by its number until the transaction ends. Every machine has a copy of its row, and a lock of that is taken on all of them: while one is
 * down operators couldn't sign in. On one machine the row is locked, and nothing is left to do.
 */
export async function lockOperator({ services, tx }: Pick<BaseCtx, 'services' | 'tx'>, id: number) {
  if (services.database.isCluster) await sql`select pg_advisory_xact_lock(hashtextextended('operator', ${id}))`.execute(tx)
}
