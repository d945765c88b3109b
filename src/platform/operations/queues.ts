/**
 * Queues and their dead letters (jobs that failed for good). Job data are never shown, because they contain addresses and texts
 * of workspaces.
 */
import { z } from 'zod'
import type { Actor, BaseCtx, Services, Steps } from '#kernel/context.ts'
import { audit } from '#kernel/tenancy/audit.ts'

const MAX_LETTERS = 100

/** Ids of dead letters. */
export const DeadLetters = z.object({
  ids: z.array(z.uuid('Must be the id of a job.')).min(1, 'Name at least one job.').max(MAX_LETTERS),
})

/** Numbers of a queue's jobs by state. */
export interface QueueRow {
  name: string
  waiting: number
  delayed: number
  retrying: number
  active: number
  /** Number of dead letters. */
  failed: number
  /** Waiting time of the oldest job in seconds. */
  oldest: number | null
}

/** Job that failed for good. */
export interface DeadLetter {
  id: string
  queue: string | null
  tenant_id: number | null
  tries: number
  error: string | null
  sent_at: string | null
  failed_at: string
}

/**
 * Returns every queue with its jobs by state, and the newest dead letters. Completed jobs aren't counted: there may be millions.
 */
export async function queues({ database }: Services): Promise<{ queues: QueueRow[]; letters: DeadLetter[]; total: number }> {
  const [rows, letters, [count]] = await Promise.all([
    database.statement<QueueRow>(
      `SELECT q.name,
         (count(*) FILTER (WHERE j.state = 'created' AND j.start_after <= now()))::int AS waiting,
         (count(*) FILTER (WHERE j.state = 'created' AND j.start_after > now()))::int AS delayed,
         (count(*) FILTER (WHERE j.state = 'retry'))::int AS retrying,
         (count(*) FILTER (WHERE j.state = 'active'))::int AS active,
         (SELECT count(*)::int FROM pgboss.job d WHERE d.name = 'dead-letters' AND d.source_name = q.name) AS failed,
         extract(epoch FROM now() - min(j.start_after) FILTER (WHERE j.state < 'active' AND j.start_after <= now()))::float8 AS oldest
       FROM pgboss.queue q LEFT JOIN pgboss.job j ON j.name = q.name AND j.state <= 'active'
       WHERE q.name <> 'dead-letters' AND q.name NOT LIKE '\\_\\_pgboss%' GROUP BY q.name ORDER BY q.name`,
      [],
    ),
    database.statement<DeadLetter>(
      `SELECT id, source_name AS queue, (data ->> 'tenant_id')::bigint AS tenant_id, source_retry_count + 1 AS tries,
         left(coalesce(output ->> 'message', source_output ->> 'message'), 500) AS error,
         source_created_on AS sent_at, created_on AS failed_at
       FROM pgboss.job WHERE name = 'dead-letters' ORDER BY created_on DESC, id LIMIT $1`,
      [MAX_LETTERS],
    ),
    database.statement<{ total: number }>(`SELECT count(*)::int AS total FROM pgboss.job WHERE name = 'dead-letters'`, []),
  ])
  return { queues: rows, letters, total: count!.total }
}

type OperatorSteps = Steps<BaseCtx & { actor: Actor }>

/** Sends dead letters back to their queues. Returns how many; others no longer exist, or their unique place is taken. */
export async function retryLetters(steps: OperatorSteps, ids: string[]): Promise<{ retried: number }> {
  const retried = await steps.services.queue.redrive(ids)
  return steps.finish(async (ctx) => {
    await audit(ctx, 'jobs_retried', { asked: ids.length, retried })
    return { retried }
  })
}

/** Deletes dead letters. */
export async function discardLetters(steps: OperatorSteps, ids: string[]): Promise<void> {
  await steps.services.queue.discard(ids)
  await steps.finish((ctx) => audit(ctx, 'jobs_discarded', { ids }))
}
