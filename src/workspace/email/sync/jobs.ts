/** When mailboxes are synchronised: when their interval has elapsed (EML-05), and when somebody asks (EML-06). */
import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, inPublic, originOf, type Services } from '#kernel/context.ts'
import { defineJob, type WorkspaceJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { synchronise } from './synchronising.ts'

const Data = z.object({ account_id: z.int() })

/** One waits for each mailbox; whether one runs is a matter of turns, which a killed worker gives back sooner than a queue would. */
export const syncMailbox: WorkspaceJob<z.output<typeof Data>> = defineWorkspaceJob({
  name: 'email-sync',
  data: Data,
  unique: 'waiting',
  key: ({ account_id }) => account_id,
  concurrency: 4,
  expireSeconds: 3600,
  transactions: 'own',
  async run(steps, { account_id }, { signal }) {
    if (await synchronise(steps, account_id, signal)) await steps.write((ctx) => requestSync(ctx, account_id))
  },
})

/** In the background, whatever the interval. */
export const requestSync = (ctx: Ctx, account_id: number) => ctx.services.queue.send(ctx, syncMailbox, { account_id })

const BATCH = 500

/** Every minute: queues the mailboxes whose interval has elapsed, and those whose worker is gone. */
export const dispatchSyncs = defineJob({
  name: 'email-dispatch',
  schedule: '* * * * *',
  async run(services) {
    while ((await dispatchSome(services)) === BATCH);
  },
})

async function dispatchSome(services: Services): Promise<number> {
  return inPublic(originOf(services), 'write', async (ctx) => {
    const { rows } = await sql<{ tenant_id: number; id: number }>`
      with due as (
        select a.tenant_id, a.id from email_accounts a join users u on u.tenant_id = a.tenant_id and u.id = a.user_id
        where a.removed_at is null and (a.next_sync_at <= ${ctx.now} or a.sync_leased_until < clock_timestamp()) and u.deleted_at is null and u.suspended_at is null
        order by a.next_sync_at limit ${BATCH} for update of a skip locked)
      update email_accounts a set next_sync_at = ${ctx.now}::timestamptz + a.sync_interval_minutes * interval '1 minute'
      from due where a.tenant_id = due.tenant_id and a.id = due.id returning a.tenant_id, a.id`.execute(ctx.tx)
    await services.queue.sendAll(
      ctx,
      syncMailbox,
      rows.map(({ tenant_id, id }) => ({ tenantId: tenant_id, data: { account_id: id } })),
    )
    return rows.length
  })
}
