/**
 * Statements on rows of several workspaces. On a single server each runs once. A cluster can't lock rows on several nodes or join
 * them with values from the client, so it runs once per workspace.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { BaseCtx } from '../context.ts'

/** Predicate that restricts a statement to one workspace, for a table aliased `as`; true if it covers all of them. */
export type Within = (as: string) => RawBuilder<SqlBool>

/** Predicate for all workspaces. */
export const everywhere: Within = () => sql<SqlBool>`true`
/** Predicate for one workspace. */
export const inOne =
  (tenantId: number): Within =>
  (as) =>
    sql<SqlBool>`${sql.ref(`${as}.tenant_id`)} = ${tenantId}`

/** Runs a statement for these rows and returns its results: for all rows at once, or workspace by workspace. */
export async function byWorkspace<P extends { tenant_id: number }, R>(
  { services }: Pick<BaseCtx, 'services'>,
  rows: P[],
  run: (some: P[], within: Within) => Promise<R[]>,
): Promise<R[]> {
  if (!services.database.isCluster) return run(rows, everywhere)
  const answers: R[] = []
  for (const [tenantId, some] of Map.groupBy(rows, ({ tenant_id }) => tenant_id))
    answers.push(...(await run(some, inOne(tenantId))))
  return answers
}

/**
 * Runs a statement that locks, and perhaps changes, rows of any workspaces. On a cluster, `find` first finds the rows without
 * locking, and then `take` runs in each of their workspaces under the same conditions. Rows that no longer match are skipped, and
 * a limit applies per workspace.
 */
export async function takeAcross<R>(
  ctx: Pick<BaseCtx, 'services'>,
  find: (within: Within) => Promise<{ tenant_id: number }[]>,
  take: (within: Within) => Promise<R[]>,
): Promise<R[]> {
  if (!ctx.services.database.isCluster) return take(everywhere)
  return byWorkspace(ctx, await find(everywhere), (_, within) => take(within))
}

/** Locks rows of any workspaces. `select` reads them, with a lock if `lock` is true. */
export const lockAcross = <R extends { tenant_id: number }>(
  ctx: Pick<BaseCtx, 'services'>,
  select: (within: Within, lock: boolean) => Promise<R[]>,
): Promise<R[]> =>
  takeAcross(
    ctx,
    (within) => select(within, false),
    (within) => select(within, true),
  )
