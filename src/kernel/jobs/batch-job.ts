/**
 * Long jobs in batches. Each batch commits its effects together with the cursor of the next one. If a worker is killed, only the
 * current batch is lost, and another worker continues from the cursor within seconds.
 *
 * A run is a row of `job_runs`; jobs of the queue only wake a worker for it. The worker takes the run over and increments its
 * lease number (`turn`). It locks the row during each batch and renews the lease with each commit. A run with an expired lease
 * and an unlocked row has lost its worker and is queued again.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import { type Actor, type Ctx, inPublic, originOf, type PublicCtx, type Services } from '../context.ts'
import { toldOf } from '../database/failures.ts'
import { invalid, notFound } from '../errors.ts'
import { takeAcross, type Within } from '../tenancy/across.ts'
import { instant } from '../values/fields.ts'
import { sessionFor } from './entering.ts'
import type { Message, QueueOptions, WorkspaceJob } from './job.ts'
import { stepsIn } from './workspace-job.ts'

/** Result of a batch. */
export interface Step<C> {
  /** Cursor of the next batch, as JSON; undefined after the last one. */
  next: C | undefined
  /** Number of items done in this batch. */
  done: number
  /** Total number of items, once it is known. */
  total?: number
}

interface BatchSpec<D, C> extends Omit<QueueOptions<D>, 'unique' | 'key' | 'expireSeconds'> {
  name: string
  data: z.core.$ZodType<D>
  as?: 'system' | 'sender'
  /**
   * Runs one batch in its own write transaction. It should take about a second, because a stop or a cancellation waits for it.
   */
  step(ctx: Ctx, data: D, cursor: C | undefined): Promise<Step<C>>
  /**
   * Runs as the system in the transaction that marks the run as failed for good. Use `inTheNameOf` to notify in the initiator's
   * name.
   */
  failed?(ctx: Ctx, data: D, reason: string): Promise<void>
}

/**
 * Returns the system's context with a user's id and name as the actor, so that owners of changed records are notified in that
 * user's name.
 */
export async function inTheNameOf(ctx: Ctx, userId: number | null): Promise<Ctx> {
  const user = await ctx.from('users').select(['id', 'name']).where('id', '=', userId).executeTakeFirst()
  return user ? { ...ctx, actor: { ...ctx.actor, ...user } } : ctx
}

/** Job that runs batch by batch. */
export interface BatchJob<D = any> extends WorkspaceJob<{ run_id: string }> {
  input: z.core.$ZodType<D>
}

const RUN_STATES = ['waiting', 'running', 'completed', 'failed', 'cancelled'] as const

/** Run in the form that routes return. */
export const Run = z
  .object({
    id: z.string(),
    job: z.string().meta({ description: 'Name of the job.', examples: ['leads-import'] }),
    state: z.enum(RUN_STATES).describe('Whether it waits, runs or has ended.'),
    done: z.int(),
    total: z
      .int()
      .nullable()
      .meta({ description: 'Of how many; null: it is not known yet.', examples: [500] }),
    error: z.string().nullable().describe('Of the last failed batch, or why it ended.'),
    created_by: z.int().nullable(),
    created_at: instant(),
    started_at: instant().nullable().describe('When its first batch began; null: not yet.'),
    finished_at: instant().nullable().describe('When it ended; null: not yet.'),
  })
  .meta({ id: 'JobRun' })
export type Run = z.output<typeof Run>

const LEASE = sql<string>`statement_timestamp() + interval '2 seconds'`
/** Time after which a run goes to the end of the queue, so that other workspaces are served. In milliseconds. */
const SLICE = 10_000
/** Number of lost workers in the same batch after which a run has failed. */
const MAX_RESCUES = 5

/** Defines a job that runs batch by batch. `D` is its input, `C` its cursor. */
export function defineBatchJob<D, C>(spec: BatchSpec<D, C>): BatchJob<D> {
  const { step, failed, data: input, as = 'system', ...options } = spec

  const job: BatchJob<D> = {
    ...options,
    of: 'workspace',
    as,
    input,
    data: z.object({ run_id: z.string() }),
    resumable: true,

    async handle(services, message, { module, signal }) {
      const id = message.data.run_id
      const session = await sessionFor(services, message, module)
      if ('ended' in session) {
        await give(services, message, session.ended)
        return session
      }
      // Each batch has its own timestamp.
      const work = () => stepsIn(services, session)
      const taken = await work().write((ctx) => takeOver(ctx, id))
      if (!taken) return undefined // done, cancelled, or held by another worker
      const { turn, rescues } = taken
      if (rescues > MAX_RESCUES) {
        const reason = `Its worker was lost ${rescues} times in the same batch.`
        await give(services, message, reason)
        return { ended: reason }
      }
      const until = performance.now() + SLICE
      const mayGoOn = () => !signal.aborted && performance.now() < until
      try {
        while ((await work().write((ctx) => batch(ctx, id, turn, mayGoOn))) === 'running');
      } catch (error) {
        // The queue retries after a pause. Without a lease, no worker rescues the run meanwhile.
        const waiting = { state: 'waiting', leased_until: null, error: toldOf(error) }
        await work()
          .write((ctx) => update(ctx, id, turn, waiting))
          .catch(() => {}) // its lease expires instead
        throw error
      }
      return undefined
    },

    onExhausted: (services, message, error) => give(services, message, toldOf(error)),
  }

  /** Runs one batch and stores its cursor and progress. */
  async function batch(ctx: Ctx, id: string, turn: number, mayGoOn: () => boolean) {
    const run = await mine(ctx, id, turn).select(['data', 'cursor', 'done', 'total']).forNoKeyUpdate().executeTakeFirst()
    if (!run) return 'lost'
    const { next, done, total } = await step(ctx, z.parse(input, run.data), (run.cursor ?? undefined) as C | undefined)
    const progress = { done: run.done + done, total: total ?? run.total, error: null, rescues: 0 }
    if (next === undefined) {
      const end = { state: 'completed', cursor: null, leased_until: null, finished_at: ctx.now }
      return update(ctx, id, turn, { ...progress, ...end })
    }
    const cursor = JSON.stringify(next)
    if (mayGoOn()) return update(ctx, id, turn, { ...progress, cursor, leased_until: LEASE })
    await ctx.services.queue.send(ctx, job, { run_id: id })
    return update(ctx, id, turn, { ...progress, cursor, state: 'waiting', leased_until: null })
  }

  /** Marks a run as failed for good. */
  async function give(services: Services, { tenant_id, data }: Message<{ run_id: string }>, reason: string) {
    const session = await sessionFor(services, { tenant_id }, undefined, true)
    if ('ended' in session) return
    await stepsIn(services, session).write(async (ctx) => {
      const run = await ctx.tx
        .updateTable('job_runs')
        .set({ state: 'failed', error: reason, leased_until: null, finished_at: ctx.now })
        .where('tenant_id', '=', ctx.tenant.id)
        .where('id', '=', data.run_id)
        .where('state', 'in', ['waiting', 'running'])
        .returning('data')
        .executeTakeFirst()
      if (run) await failed?.(ctx, z.parse(input, run.data), reason)
    })
  }

  return job
}

const mine = (ctx: Ctx, id: string, turn: number) =>
  ctx.tx
    .selectFrom('job_runs')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .where('turn', '=', turn)
    .where('state', '=', 'running')

async function update(ctx: Ctx, id: string, turn: number, changes: Record<string, unknown>) {
  const updated = await ctx.tx
    .updateTable('job_runs')
    .set(changes)
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .where('turn', '=', turn)
    .where('state', '=', 'running')
    .returning('state')
    .executeTakeFirst()
  return updated?.state
}

/**
 * Takes the lease of a run. Returns its number and the count of lost workers, or undefined. Waits for another worker's current
 * batch.
 */
async function takeOver(ctx: Ctx, id: string) {
  return ctx.tx
    .updateTable('job_runs')
    .set((eb) => ({
      state: 'running',
      turn: eb('turn', '+', 1),
      leased_until: LEASE,
      started_at: eb.fn.coalesce('started_at', eb.val(ctx.now)),
    }))
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('state', '=', 'waiting'),
        eb.and([eb('state', '=', 'running'), eb('leased_until', '<', sql<string>`statement_timestamp()`)]),
      ]),
    )
    .returning(['turn', 'rescues'])
    .executeTakeFirst()
}

/** Starts a run in the context's transaction and returns its id. Throws if the data don't match the job's schema. */
export async function startRun<D>(ctx: Ctx, job: BatchJob<D>, data: D, total?: number): Promise<string> {
  z.parse(job.input, data)
  const { id } = await ctx.tx
    .insertInto('job_runs')
    .values({
      tenant_id: ctx.tenant.id,
      job: job.name,
      data: JSON.stringify(data),
      total: total ?? null,
      created_by: ctx.actor.id,
      impersonator: ctx.actor.impersonator && JSON.stringify(ctx.actor.impersonator),
      key_id: ctx.actor.key?.id ?? null,
      created_at: ctx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.services.queue.send(ctx, job, { run_id: id })
  return id
}

const noRun = () => notFound('There is no such run.')
const isUuid = (id: string) => z.guid().safeParse(id).success

/** Returns a run of the workspace with its progress. 404 if it doesn't exist or belongs to another job. */
export async function runOf(ctx: Ctx, job: BatchJob, id: string): Promise<Run> {
  if (!isUuid(id)) throw noRun()
  const run = await ctx.tx
    .selectFrom('job_runs')
    .select(['id', 'job', 'state', 'done', 'total', 'error', 'created_by', 'created_at', 'started_at', 'finished_at'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .where('job', '=', job.name)
    .executeTakeFirst()
  if (!run) throw noRun()
  return run as Run
}

/** Cancels a run after its current batch. Completed batches stay. 404 as above; 422 on `state` if it has already ended. */
export async function cancelRun(ctx: Ctx, job: BatchJob, id: string): Promise<Run> {
  await runOf(ctx, job, id)
  const cancelled = await ctx.tx
    .updateTable('job_runs')
    .set({ state: 'cancelled', leased_until: null, finished_at: ctx.now })
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .where('state', 'in', ['waiting', 'running'])
    .executeTakeFirst()
  const run = await runOf(ctx, job, id)
  if (!cancelled.numUpdatedRows) throw invalid({ state: `A run that is ${run.state} cannot be cancelled.` })
  return run
}

interface Lost {
  tenant_id: number
  id: string
  job: string
  created_by: number | null
  impersonator: Actor['impersonator']
  key_id: number | null
}

/** Queues runs again whose workers are lost: at most 100 at a time, the longest lost first. */
export async function rescueRuns(services: Services) {
  const { jobs } = services.queue
  await inPublic(originOf(services), 'write', async (ctx) => {
    const lost = await takeBack(ctx, [...jobs.keys()])
    for (const { tenant_id: tenantId, id, job: name, created_by: actorId, impersonator, key_id: keyId } of lost) {
      services.log.warn({ job: name, tenantId, run: id }, 'a run has lost its worker')
      await services.queue.send(ctx, jobs.get(name)!.job as BatchJob, { run_id: id }, { tenantId, actorId, impersonator, keyId })
    }
  })
}

function takeBack(ctx: PublicCtx, jobs: string[]): Promise<Lost[]> {
  const lost = (within: Within) => sql<{ tenant_id: number }>`
    SELECT tenant_id, id FROM job_runs
    WHERE state = 'running' AND leased_until < statement_timestamp() AND job = ANY(${jobs}) AND ${within('job_runs')} ORDER BY leased_until LIMIT 100`
  return takeAcross(
    ctx,
    async (within) => (await lost(within).execute(ctx.tx)).rows,
    async (within) => {
      const { rows } = await sql<Lost>`
        UPDATE job_runs SET state = 'waiting', leased_until = NULL, rescues = rescues + 1
        WHERE (tenant_id, id) IN (${lost(within)} FOR UPDATE SKIP LOCKED) AND ${within('job_runs')}
        RETURNING tenant_id, id, job, created_by, impersonator, key_id`.execute(ctx.tx)
      return rows
    },
  )
}
