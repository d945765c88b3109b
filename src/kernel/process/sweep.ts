/** Nightly cleanup: expired tokens and links, secrets of mails, rate limit counters, job runs older than 90 days. */
import { defineJob } from '../jobs/job.ts'
import { GONE, SEALED_SECONDS } from '../mail/sealed.ts'
import { DAY, plusSeconds } from '../values/time.ts'

export const sweep = defineJob({
  name: 'sweep',
  schedule: '17 3 * * *',
  async run({ database, clock }) {
    const now = clock.now()
    await database.platform('write', async (tx) => {
      await tx.deleteFrom('access_tokens').where('expires_at', '<', now).execute()
      await tx.deleteFrom('one_time_tokens').where('expires_at', '<', now).execute()
      await tx
        .updateTable('email_logs')
        .set({ sealed: GONE })
        .where('created_at', '<', plusSeconds(now, -SEALED_SECONDS))
        .where('sealed', '<>', GONE)
        .execute()
      await tx
        .deleteFrom('job_times')
        .where('day', '<', plusSeconds(now, -30 * DAY).slice(0, 10))
        .execute()
      await tx
        .deleteFrom('job_runs')
        .where('finished_at', '<', plusSeconds(now, -90 * DAY))
        .execute()
    })
    await database.statement('DELETE FROM rate_limits WHERE expire < $1', [Date.parse(now) - DAY * 1000])
  },
})
