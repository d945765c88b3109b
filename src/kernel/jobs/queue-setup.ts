/** Updates queues and schedules in the database to the declared jobs. */
import type { PgBoss, Queue } from 'pg-boss'
import type { Database } from '../database/connect.ts'
import { DAY } from '../values/time.ts'
import { indexTurns } from './fair-order.ts'
import type { Job } from './job.ts'
import { dispatch } from './schedule.ts'
import { prepareTimeUsed } from './time-used.ts'

/** Queue of jobs that failed for good. The operator can inspect and redrive them. */
export const DEAD_LETTERS = 'dead-letters'

const policies = { waiting: 'short', running: 'singleton', both: 'stately' } as const

/** Returns the maximum number of retries. */
export const retriesOf = (job: Job) => job.retries ?? 5

const optionsOf = (job: Job, heartbeatSeconds: number) =>
  ({
    policy: job.unique ? policies[job.unique] : 'standard',
    notify: true,
    retryLimit: retriesOf(job) + 1, // one more than the retries: the extra try detects that the last try's worker was lost
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: job.longestPauseSeconds ?? 3600,
    expireInSeconds: job.expireSeconds ?? 900,
    heartbeatSeconds, // a job whose worker was killed is retried within three times as long, whatever its expiry
    retentionSeconds: (job.retentionDays ?? 14) * DAY,
    deleteAfterSeconds: 7 * DAY,
    deadLetter: DEAD_LETTERS,
  }) satisfies Omit<Queue, 'name'>

/** Creates missing queues and updates those with changed options. */
export async function updateQueues(boss: PgBoss, database: Database, jobs: Job[], heartbeatSeconds: number) {
  await indexTurns(database)
  await prepareTimeUsed(database)
  const existing = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  if (!existing.has(DEAD_LETTERS)) await boss.createQueue(DEAD_LETTERS)
  for (const job of jobs) {
    const { policy, ...options } = optionsOf(job, heartbeatSeconds)
    const queue = existing.get(job.name)
    if (!queue) {
      await boss.createQueue(job.name, { policy, ...options })
      continue
    }
    // pg-boss refuses to change the policy because of queues with their own tables; ours have none. Waiting jobs keep their
    // policy.
    if (queue.policy !== policy)
      await database.statement('UPDATE pgboss.queue SET policy = $2 WHERE name = $1', [job.name, policy])
    const differs = Object.entries(options).some(([key, value]) => queue[key as keyof Queue] !== value)
    if (differs || queue.policy !== policy) await boss.updateQueue(job.name, options)
  }
}

/** Schedules declared jobs and removes schedules that are no longer declared. */
export async function updateSchedules(boss: PgBoss, jobs: Job[]) {
  const wanted = new Map<string, () => Promise<void>>()
  for (const job of jobs)
    if (job.of === 'platform' && job.schedule) wanted.set(`${job.name}/`, () => boss.schedule(job.name, job.schedule!))
    else if (job.schedule) {
      const send = () =>
        boss.schedule(dispatch.name, job.schedule!, { data: { job: job.name } }, { key: job.name, missed: 'once' })
      wanted.set(`${dispatch.name}/${job.name}`, send)
    }
  if (jobs.some((job) => job.of === 'workspace' && job.daily))
    wanted.set(`${dispatch.name}/`, () => boss.schedule(dispatch.name, '* * * * *', { data: {} }))
  for (const { name, key } of await boss.getSchedules()) if (!wanted.has(`${name}/${key}`)) await boss.unschedule(name, key)
  for (const schedule of wanted.values()) await schedule()
}
