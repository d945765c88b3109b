/**
 * Statements about rows of several workspaces. On one machine each is one statement; on a cluster, where it can't lock rows on several machines
 * or join them with rows that were sent along, it is one for each workspace.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { BaseCtx } from '../context.ts'

/** The condition that keeps a statement to one workspace, on the rows of a table called `as`; true where it is about all of them. */
export type Within = (as: string) => RawBuilder<SqlBool>

export const everywhere: Within = () => sql<SqlBool>`true`
export const inOne =
  (tenantId: number): Within =>
  (as) =>
    sql<SqlBool>`${sql.ref(`${as}.tenant_id`)} = ${tenantId}`

/** Runs a statement for these rows, and gives what it answers: of all of them at once, or workspace by workspace. */
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
 * Runs a statement that locks rows of any workspaces and, perhaps, changes them. On a cluster `find` looks for the rows first, without a lock, and the
 * statement is run in each of their workspaces, under the same conditions: what is lost meanwhile isn't taken, and a limit counts for each one.
 */
export async function takeAcross<R>(
  ctx: Pick<BaseCtx, 'services'>,
  find: (within: Within) => Promise<{ tenant_id: number }[]>,
  take: (within: Within) => Promise<R[]>,
): Promise<R[]> {
  if (!ctx.services.database.isCluster) return take(everywhere)
  return byWorkspace(ctx, await find(everywhere), (_, within) => take(within))
}

/** Rows of any workspaces, locked: `select` reads them, with a lock where it is told so. */
export const lockAcross = <R extends { tenant_id: number }>(
  ctx: Pick<BaseCtx, 'services'>,
  select: (within: Within, lock: boolean) => Promise<R[]>,
): Promise<R[]> =>
  takeAcross(
    ctx,
    (within) => select(within, false),
    (within) => select(within, true),
  )
