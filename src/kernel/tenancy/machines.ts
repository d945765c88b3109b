/** Nodes of a cluster, by the workspaces whose rows they have. */
import { sql } from 'kysely'
import type { BaseCtx } from '../context.ts'
import { inSavepoint } from '../database/connect.ts'
import { isUnreachable } from '../database/failures.ts'

/**
 * Runs a query about workspaces, on all nodes at once. If a node is unreachable, each node is queried for its own workspaces.
 * Returns the results, and the workspaces without one. For read-only transactions.
 */
export async function askMachines<R>(
  { tx }: Pick<BaseCtx, 'tx'>,
  ids: number[],
  ask: (some: number[]) => Promise<R>,
): Promise<{ answers: R[]; missing: number[] }> {
  const attempt = (some: number[]) => orUnreachable(tx, () => ask(some))
  const whole = await attempt(ids)
  if (whole !== undefined) return { answers: [whole], missing: [] }
  const { rows } = await sql<{ ids: number[] }>`
    select array_agg(w.id) as ids from unnest(${ids}::bigint[]) as w (id)
    join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('access_revisions', w.id) group by p.groupid`.execute(
    tx,
  )
  const answers: R[] = []
  const missing: number[] = []
  for (const { ids: some } of rows.map(({ ids }) => ({ ids: ids.map(Number) }))) {
    const answer = await attempt(some)
    if (answer === undefined) missing.push(...some)
    else answers.push(answer)
  }
  return { answers, missing: missing.sort((a, b) => a - b) }
}

/** Runs work that needs nodes of the cluster; returns undefined if one of them is unreachable. */
export const orUnreachable = <R>(tx: BaseCtx['tx'], work: () => Promise<R>): Promise<R | undefined> =>
  inSavepoint(tx, work).catch((error) => {
    if (!isUnreachable(error)) throw error
    return undefined
  })
