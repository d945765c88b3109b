/** What users were told is kept for half a year, or as long as the operator says, read or not; a user who is deleted leaves nothing here. */
import { sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { plusSeconds } from '#kernel/values/time.ts'

/** A user who is deleted leaves nothing here; restored, they begin anew. */
export async function forgetUser(ctx: Ctx, userId: number) {
  for (const table of ['notifications', 'fcm_device_tokens', 'notification_preferences', 'gathered_news'] as const)
    await ctx
      .deleteFrom(table as 'notifications')
      .where('user_id', '=', userId)
      .execute()
}

/** Which mails of a day were sent: nobody asks after more than one. */
const DIGEST_DAYS = 30
/** Rows that one transaction deletes. */
const BATCH = 5000
const A_DAY = 24 * 3600

export const sweep = defineWorkspaceJob({
  name: 'notifications-sweep',
  daily: { at: '04:10' },
  transactions: 'own',
  async run(steps: WorkspaceSteps, _, { signal }) {
    const days = steps.services.config.KEEP_NOTIFICATIONS_DAYS
    if (days !== 'forever') {
      const before = plusSeconds(steps.now, -days * A_DAY)
      for (let deleted = BATCH; deleted === BATCH && !signal.aborted; )
        deleted = await steps.write((ctx) => deleteSome(ctx, before))
    }
    const day = plusSeconds(steps.now, -DIGEST_DAYS * A_DAY).slice(0, 10)
    await steps.write((ctx) => ctx.deleteFrom('daily_digests').where('day', '<', day).execute())
  },
})

async function deleteSome(ctx: Ctx, before: string) {
  const { numAffectedRows } = await sql`
    delete from notifications where tenant_id = ${ctx.tenant.id} and id in (
      select id from notifications where tenant_id = ${ctx.tenant.id} and created_at < ${before} order by created_at limit ${BATCH})`.execute(
    ctx.tx,
  )
  return Number(numAffectedRows)
}
