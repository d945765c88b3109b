/**
 * Retention: notifications are deleted after half a year, or the operator's setting, read or not. A deleted user's data is
 * removed at once.
 */
import { sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { plusSeconds } from '#kernel/values/time.ts'

/** Deletes a user's data; after a restoration they start without any. */
export async function forgetUser(ctx: Ctx, userId: number) {
  for (const table of ['notifications', 'fcm_device_tokens', 'notification_preferences', 'gathered_news'] as const)
    await ctx
      .deleteFrom(table as 'notifications')
      .where('user_id', '=', userId)
      .execute()
}

/** Days that records of sent digests are stored: only the current day's are needed. */
const DIGEST_DAYS = 30
/** Maximum number of rows deleted in one transaction. */
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
