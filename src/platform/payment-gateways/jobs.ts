/** Deletes old gateway logs and provider events, after the operator's retention time (default: just over a year). */
import { sql } from 'kysely'
import { writeAsSystem } from '#kernel/context.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { plusSeconds } from '#kernel/values/time.ts'

/** Number of rows deleted per transaction. */
const BATCH = 2000
const DAY = 24 * 3600

/** Providers repeat an event only for days, and its signature then counts as expired: a deleted event isn't accepted again. */
const sweepLogs = defineJob({
  name: 'payment-gateways-sweep',
  schedule: '37 2 * * *',
  unique: 'both',
  async run(services, _, { signal }) {
    const days = services.config.KEEP_GATEWAY_LOG_DAYS
    if (days === 'forever') return
    const before = plusSeconds(services.clock.now(), -days * DAY)
    for (const table of ['payment_gateway_logs', 'payment_gateway_events'])
      for (let deleted = BATCH; deleted === BATCH && !signal.aborted; )
        deleted = await writeAsSystem(services, async ({ tx }) => {
          const { numAffectedRows } = await sql`
            delete from ${sql.table(table)} where id in (
              select id from (select id, created_at from ${sql.table(table)} order by id limit ${BATCH}) oldest where created_at < ${before})`.execute(
            tx,
          )
          return Number(numAffectedRows)
        })
  },
})

export default [sweepLogs]
