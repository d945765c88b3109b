/** The queue: pg-boss in the same database, so that a job is enqueued in the transaction of its cause, or not at all. */
import { PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { BaseCtx, Services } from '../context.ts'
import { asOwner } from '../database/connect.ts'
import type { Job } from './job.ts'

export interface Queue {
  /** Enqueues inside the ctx's transaction. */
  send<D>(ctx: BaseCtx, job: Job<D>, data: D, options?: { delaySeconds?: number }): Promise<void>
  /** Makes the queues; a worker begins to work them too. */
  start(jobs: Job[], services: Services, worker: boolean): Promise<void>
  /** Waits for jobs under way and takes no new ones. */
  stop(): Promise<void>
  /** Runs what waits until nothing does: for tests and the demo, which don't wait for a poll. */
  drain(): Promise<void>
}

/** Jobs that failed for good are kept here, for the operator to look at and redrive. */
const DEAD_LETTERS = 'dead-letters'

export function queueIn(url: string, log: Logger): Queue {
  // Its own few connections: one listens, so that a job starts when it is committed. Where that can't be (PgBouncer), it polls.
  const boss = new PgBoss({
    connectionString: url,
    max: 3,
    schema: 'pgboss',
    useListenNotify: true,
    application_name: 'atrium-queue',
  })
  boss.on('error', ({ message }) => log.error({ message }, 'queue'))
  let jobs: Job[] = []
  let services: Services | undefined
  let started = false

  async function run(job: Job, data: unknown, lastTry: boolean) {
    if (!services) throw new Error('The queue is not started')
    const input = job.data.parse(data ?? {})
    try {
      await job.run(services, input)
    } catch (error) {
      log.warn({ err: error, job: job.name }, lastTry ? 'job failed for good' : 'job failed and will be tried again')
      if (lastTry) await job.failed?.(services, input, error as Error)
      throw error
    }
  }

  return {
    async send(ctx, job, data, { delaySeconds } = {}) {
      const inTransaction = {
        async executeSql(text: string, values: unknown[] = []) {
          const { rows } = await ctx.tx.executeQuery<any>({
            sql: text,
            parameters: values,
            query: { kind: 'RawNode' } as any,
            queryId: { queryId: '' },
          })
          return { rows }
        },
      }
      await asOwner(ctx.tx, ctx.role, () => boss.send(job.name, data as object, { db: inTransaction, startAfter: delaySeconds }))
    },

    async start(all, given, worker) {
      jobs = all
      services = given
      await boss.start()
      started = true
      const existing = new Set((await boss.getQueues()).map((queue) => queue.name))
      if (!existing.has(DEAD_LETTERS)) await boss.createQueue(DEAD_LETTERS)
      for (const job of jobs) {
        if (!existing.has(job.name))
          await boss.createQueue(job.name, {
            notify: true,
            retryLimit: job.retries ?? 5,
            retryDelay: 5,
            retryBackoff: true,
            retryDelayMax: 3600,
            deadLetter: DEAD_LETTERS,
          })
        if (!worker) continue
        if (job.schedule) await boss.schedule(job.name, job.schedule)
        await boss.work<unknown, void, { includeMetadata: true }>(job.name, { includeMetadata: true }, async (batch) => {
          for (const one of batch) await run(job, one.data, one.retryCount >= one.retryLimit)
        })
      }
    },

    async stop() {
      if (started) await boss.stop({ graceful: true, timeout: 20_000 })
      started = false
    },

    async drain() {
      for (let found = true; found; ) {
        found = false
        for (const job of jobs)
          for (const one of await boss.fetch<unknown>(job.name, { includeMetadata: true, batchSize: 50 })) {
            found = true
            await run(job, one.data, one.retryCount >= one.retryLimit).then(
              () => boss.complete(job.name, one.id),
              (error: Error) => boss.fail(job.name, one.id, { message: error.message }),
            )
          }
      }
    },
  }
}
