/** What gateways were asked and what their providers told is kept for a year and some, or as long as the operator says. */
import { sql } from 'kysely'
import { writeAsSystem } from '#kernel/context.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { plusSeconds } from '#kernel/values/time.ts'

/** Rows that one transaction deletes. */
const BATCH = 2000
const DAY = 24 * 3600

/** A provider repeats an event for days, and its signature is refused as too old by then: what is forgotten doesn't come again. */
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
