/** Job queue: pg-boss in the same database, so that a job is enqueued in the transaction of its cause, or not at all. */

import { type Db, type JobResult, type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Actor, BaseCtx, Ctx, Services } from '../context.ts'
import { asLoginRole } from '../database/connect.ts'
import { overWire } from '../database/failures.ts'
import type { Module } from '../modules/module.ts'
import { plusSeconds } from '../values/time.ts'
import { rescueRuns } from './batch-job.ts'
import { assignTurns } from './fair-order.ts'
import type { Ended, Job, Message, PlatformJob, WorkspaceJob } from './job.ts'
import { type JobMetrics, jobMetrics } from './metrics.ts'
import { DEAD_LETTERS, retriesOf, updateQueues, updateSchedules } from './queue-setup.ts'
import { dispatchDaily } from './schedule.ts'
import { timeUsed } from './time-used.ts'

declare module '../context.ts' {
  interface Services {
    queue: Queue
  }
}

interface Later {
  /** Delay in seconds, or earliest start; by the services' clock. */
  delaySeconds?: number
  startAt?: string
}

/**
 * Owner of a workspace's job. Default in a workspace's context: that workspace and, if the job runs as its sender, the acting
 * user.
 */
interface Recipient {
  tenantId: number
  actorId?: number | null
  impersonator?: Actor['impersonator']
  keyId?: number | null
}

/** Job queue of this process. */
export interface Queue {
  /** Whether this process runs jobs, in addition to sending them. */
  readonly isWorking: boolean
  /**
   * Enqueues a job in the context's transaction. Returns false if it was dropped, because one with the same key waits already
   * (`unique`).
   */
  send<D>(ctx: Ctx, job: WorkspaceJob<D>, data: D, options?: Later): Promise<boolean>
  send<D>(ctx: BaseCtx, job: WorkspaceJob<D>, data: D, options: Later & Recipient): Promise<boolean>
  send<D>(ctx: BaseCtx, job: PlatformJob<D>, data: D, options?: Later): Promise<boolean>
  /** Sends many jobs in one statement, also to several workspaces. A good batch size is a thousand. */
  sendAll<D>(ctx: BaseCtx, job: WorkspaceJob<D>, items: (Recipient & Later & { data: D })[]): Promise<void>
  sendAll<D>(ctx: BaseCtx, job: PlatformJob<D>, items: (Later & { data: D })[]): Promise<void>
  /** Creates the queues. A worker also starts to run jobs. */
  start(jobs: Registered[], services: Services, worker: boolean): Promise<void>
  /** Waits for running jobs (long runs: for the current batch) and takes no new ones. */
  stop(): Promise<void>
  /**
   * Runs waiting jobs until there are none: for tests and the demo, which don't wait for a poll. `due` includes jobs due by the
   * services' clock, daily jobs too. `all` includes delayed jobs and retries before the end of their pause.
   */
  drain(which?: 'ready' | 'due' | 'all'): Promise<void>
  /** Sends dead letters back to their queues as new jobs. Returns how many; those whose unique place is taken stay. */
  redrive(deadLetters: string[]): Promise<number>
  /** Deletes dead letters. */
  discard(deadLetters: string[]): Promise<void>
  metrics: JobMetrics
  /** Jobs that the queue was started with, by name. */
  jobs: ReadonlyMap<string, Registered>
}

export interface Registered {
  job: Job
  /** Absent for the kernel's own jobs. */
  module?: Module
}

/** Interval in which a worker looks for runs with lost workers. In milliseconds. */
const RESCUE_EVERY = 1000

/**
 * Returns the queue in the database at `url`; `start` prepares it. A worker sends a heartbeat for its job every
 * `heartbeatSeconds`.
 */
export function queueIn(url: string, log: Logger, heartbeatSeconds: number): Queue {
  // Its own few connections. One listens, so that a job starts when it is committed. Where that is impossible (PgBouncer), it
  // polls.
  const boss = new PgBoss({
    connectionString: url,
    max: 3,
    schema: 'pgboss',
    useListenNotify: true,
    application_name: 'atrium-queue',
    superviseIntervalSeconds: 2 * heartbeatSeconds,
    monitorIntervalSeconds: 2 * heartbeatSeconds,
  })
  boss.on('error', ({ message }) => log.error({ message }, 'queue'))
  const metrics = jobMetrics()
  const stopping = new AbortController()
  const registered = new Map<string, Registered>()
  let services: Services | undefined
  let rescuing: Promise<void> | undefined
  let rescueTimer: NodeJS.Timeout | undefined
  const meter = timeUsed(() => services!.database, log)
  let stopMeter = async () => {}
  let started = false
  let isWorking = false

  /**
   * Runs one try. The queue counts the try when a worker takes the job, before anything is done. So a job that always kills its
   * process comes back as often as any other, and is then given up by a worker that doesn't run it.
   */
  async function run({ job, module }: Registered, one: JobWithMetadata<Message>): Promise<Outcome> {
    if (!services) throw new Error('The queue is not started')
    const message: Message = { ...one.data, data: z.parse(job.data, one.data?.data ?? {}) }
    const signal = one.signal ? AbortSignal.any([one.signal, stopping.signal]) : stopping.signal
    const began = performance.now()
    const charged = message.tenant_id === undefined ? () => {} : meter.begin(job.name, message.tenant_id)
    const observe = (result: Parameters<JobMetrics['observe']>[1]) => metrics.observe(job.name, result, performance.now() - began)
    const lost = one.retryCount > retriesOf(job) && !job.resumable
    try {
      if (lost) throw new Error('The worker of its last try was lost, or took too long.')
      const ended = await job.handle(services, message, { signal, module })
      observe(ended ? 'ended' : 'completed')
      if (ended) log.info({ job: job.name, tenant_id: message.tenant_id, reason: ended.ended }, 'job ended without work')
      return { status: 'completed', output: ended }
    } catch (error) {
      const last = one.retryCount >= retriesOf(job)
      observe(last ? 'failed' : 'retried')
      const what = { err: error, job: job.name, tenant_id: message.tenant_id }
      log.warn(what, last ? 'job failed for good' : 'job failed and will be tried again')
      if (!last) return { status: 'failed', output: error as Error }
      await job.onExhausted?.(services, message, error as Error)
      return { status: 'deadletter', output: error as Error }
    } finally {
      charged()
    }
  }

  async function insert(ctx: BaseCtx, job: Job, items: (Partial<Recipient> & Later & { data: unknown })[]) {
    if (!items.length) return 0
    const now = ctx.services.clock.now()
    const rows = items.map(({ data, delaySeconds, startAt, ...recipient }) => {
      const due = startAt ? plusSeconds(startAt, 0) : delaySeconds ? plusSeconds(now, delaySeconds) : undefined
      const whose = job.of === 'workspace' ? recipientOf(ctx, job, recipient) : { tenant_id: job.workspaceOf?.(data) }
      const message: Message = { data, due, ...whose }
      const key = job.unique && [message.tenant_id, job.key?.(data)].join(':')
      const group = isOneOfAKey(job) ? key : message.tenant_id?.toString()
      return {
        data: message,
        startAfter: due ? Math.max(0, Math.ceil((Date.parse(due) - Date.parse(now)) / 1000)) : undefined,
        ...(key ? { singletonKey: key } : {}),
        ...(group ? { group: { id: group } } : {}),
      }
    })
    const db = within(ctx)
    const sent = await asLoginRole(ctx.tx, ctx.role, async () =>
      boss.insert(job.name, await assignTurns(db, job.name, rows), { db, returnId: true }),
    )
    return sent?.length ?? 0
  }

  return {
    metrics,
    jobs: registered,

    async send(ctx: BaseCtx, job: Job, data: unknown, options: Later & Partial<Recipient> = {}) {
      return (await insert(ctx, job, [{ data, ...options }])) > 0
    },

    async sendAll(ctx: BaseCtx, job: Job, items: (Partial<Recipient> & Later & { data: unknown })[]) {
      await insert(ctx, job, items)
    },

    get isWorking() {
      return isWorking
    },

    async start(all, given, worker) {
      for (const one of all) registered.set(one.job.name, one)
      services = given
      started = true // even if the start fails, so that `stop` ends what had started
      await boss.start()
      const jobs = all.map(({ job }) => job)
      await updateQueues(boss, given.database, jobs, heartbeatSeconds)
      if (!worker) return
      isWorking = true
      stopMeter = meter.start()
      await updateSchedules(boss, jobs)
      for (const one of all) for (let n = 0; n < (one.job.concurrency ?? 1); n++) await work(one)
      const lookForLostRuns = () => {
        rescuing ??= rescueRuns(given)
          .catch((error) => log.error({ err: error }, 'lost runs'))
          .finally(() => (rescuing = undefined))
      }
      rescueTimer = setInterval(lookForLostRuns, RESCUE_EVERY)
    },

    async stop() {
      clearInterval(rescueTimer)
      stopping.abort()
      await rescuing
      if (started) await boss.stop({ graceful: true, timeout: 20_000 })
      await stopMeter()
      started = false
    },

    redrive: (ids) => overWire(boss.redrive(DEAD_LETTERS, { ids })),
    async discard(ids) {
      await overWire(boss.deleteJob(DEAD_LETTERS, ids))
    },

    async drain(which = 'ready') {
      if (!services) throw new Error('The queue is not started')
      if (which === 'due') {
        await dispatchDaily(services)
        await rescueRuns(services)
        await services.database.statement(
          `UPDATE pgboss.job SET start_after = now() WHERE state < 'active' AND start_after > now() AND data->>'due' <= $1`,
          [services.clock.now()],
        )
      }
      for (let found = true; found; ) {
        found = false
        for (const one of registered.values())
          for (const job of await boss.fetch<Message>(one.job.name, fetching(one.job, which === 'all'))) {
            found = true
            const { status, output } = await run(one, job).catch((error: Error) => ({ status: 'failed', output: error }))
            if (status === 'completed') {
              await boss.complete(one.job.name, job.id, output)
              continue
            }
            const last = 'UPDATE pgboss.job SET retry_limit = retry_count WHERE name = $1 AND id = $2'
            if (status === 'deadletter') await services.database.statement(last, [one.job.name, job.id])
            await boss.fail(one.job.name, job.id, { message: (output as Error).message })
          }
        if (found) await meter.charge()
      }
    },
  }

  /** Starts one worker of a job. It fetches the next job as soon as one is done, without waiting for a poll. */
  async function work(one: Registered) {
    const { name } = one.job
    const options = {
      includeMetadata: true,
      perJobResults: true,
      notifyPollingIntervalSeconds: 10,
      groupConcurrency: atOnce(one.job),
    } as const
    const id: string = await boss.work<Message, JobResult[], typeof options>(name, options, async ([job]) => {
      boss.notifyWorker(id)
      return job ? [{ id: job.id, ...(await run(one, job)) }] : []
    })
  }
}

/** Outcome of a try, in pg-boss's form. */
type Outcome = { status: 'completed'; output: Ended | undefined } | { status: 'failed' | 'deadletter'; output: Error }

const isOneOfAKey = ({ unique }: Job) => unique === 'running' || unique === 'both'

/**
 * Maximum number of jobs of a group (a key, else a workspace) that run at once, over all processes. Further ones are skipped, so
 * a workspace with slow jobs leaves a worker to the others. A job with a lost worker counts until that is noticed, so a workspace
 * is never limited to one job. Long runs give their worker back after each slice.
 */
function atOnce(job: Job) {
  if (isOneOfAKey(job)) return 1
  const { concurrency = 1 } = job
  return concurrency > 2 && !job.resumable ? concurrency - 1 : undefined
}

const fetching = (job: Job, ignoreStartAfter: boolean) => {
  const alone = isOneOfAKey(job)
  return { includeMetadata: true, batchSize: alone ? 1 : 50, ignoreStartAfter, groupConcurrency: alone ? 1 : undefined } as const
}

/** Runs pg-boss's statements in the context's transaction. */
const within = (ctx: BaseCtx): Db => ({
  async executeSql(text, values = []) {
    const { rows } = await ctx.tx.executeQuery<any>({
      sql: text,
      parameters: values,
      query: { kind: 'RawNode' } as any,
      queryId: { queryId: '' },
    })
    return { rows }
  },
})

/** Returns the owner of a job. Throws if a workspace's context sends to another workspace. */
function recipientOf(ctx: BaseCtx, job: WorkspaceJob, { tenantId, actorId, impersonator, keyId }: Partial<Recipient>) {
  const inside = 'tenant' in ctx ? (ctx as Ctx) : undefined
  const tenant_id = tenantId ?? inside?.tenant.id
  if (!tenant_id || (inside && inside.tenant.id !== tenant_id))
    throw new Error(`${job.name} is sent to no workspace, or to another`)
  if (job.as !== 'sender') return { tenant_id, actor_id: null }
  if (actorId != null) return { tenant_id, actor_id: actorId, impersonator, key_id: keyId }
  const { id = null, impersonator: by, key } = inside?.actor ?? {}
  return { tenant_id, actor_id: id, impersonator: by, key_id: key?.id }
}
