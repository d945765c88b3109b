/** When mailboxes are synchronised: when their interval has elapsed (EML-05), and when somebody asks (EML-06). */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, inPublic, originOf, type Services } from '#kernel/context.ts'
import { defineJob, type WorkspaceJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { isForgotten, type Lane } from './lease.ts'
import { synchronise } from './synchronising.ts'

const Data = z.object({ account_id: z.int() })

/** One waits for each mailbox; whether one runs is a matter of turns, which a killed worker gives back sooner than a queue would. */
const syncJob = (name: string, lane: Lane): WorkspaceJob<z.output<typeof Data>> =>
  defineWorkspaceJob({
    name,
    data: Data,
    unique: 'waiting',
    key: ({ account_id }) => account_id,
    concurrency: 6,
    expireSeconds: 900,
    transactions: 'own',
    async run(steps, { account_id }, { signal }) {
      const { lane: other, next } = await synchronise(steps, account_id, lane, signal)
      if (other) await steps.write((ctx) => requestSync(ctx, account_id, other))
      if (next) await steps.write((ctx) => requestSync(ctx, next, lane))
    },
  })
export const syncMailbox = syncJob('email-sync', 'fast')
export const syncSlowly = syncJob('email-sync-slow', 'slow')

const jobOf = (lane: Lane) => (lane === 'fast' ? syncMailbox : syncSlowly)

/** In the background, whatever the interval. A job for the wrong lane finds the right one. */
export const requestSync = (ctx: Ctx, account_id: number, lane: Lane = 'fast') =>
  ctx.services.queue.send(ctx, jobOf(lane), { account_id })

const BATCH = 500

/** Every minute: queues the mailboxes whose interval has elapsed, and those whose worker is gone. */
export const dispatchSyncs = defineJob({
  name: 'email-dispatch',
  schedule: '* * * * *',
  async run(services) {
    await dispatchSome(services, isForgotten('a'))
    while ((await dispatchSome(services, sql<SqlBool>`a.next_sync_at <= ${services.clock.now()}`)) === BATCH);
  },
})

async function dispatchSome(services: Services, which: RawBuilder<SqlBool>): Promise<number> {
  return inPublic(originOf(services), 'write', async (ctx) => {
    const { rows } = await sql<{ tenant_id: number; id: number; sync_slow: boolean }>`
      with due as (
        select a.tenant_id, a.id from email_accounts a join users u on u.tenant_id = a.tenant_id and u.id = a.user_id
        where a.removed_at is null and ${which} and u.deleted_at is null and u.suspended_at is null
        order by a.next_sync_at limit ${BATCH} for update of a skip locked)
      update email_accounts a set next_sync_at = greatest(a.next_sync_at, ${ctx.now}::timestamptz + a.sync_interval_minutes * interval '1 minute')
      from due where a.tenant_id = due.tenant_id and a.id = due.id returning a.tenant_id, a.id, a.sync_slow`.execute(ctx.tx)
    for (const lane of ['fast', 'slow'] as const) {
      const some = rows.filter(({ sync_slow }) => sync_slow === (lane === 'slow'))
      await services.queue.sendAll(
        ctx,
        jobOf(lane),
        some.map(({ tenant_id, id }) => ({ tenantId: tenant_id, data: { account_id: id } })),
      )
    }
    return rows.length
  })
}
