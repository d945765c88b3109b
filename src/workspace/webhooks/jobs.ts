import { sql } from 'kysely'
import { eventsKept } from '#kernel/http/feed.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { plusSeconds } from '#kernel/values/time.ts'

const BATCH = 5000

/** Deletes completed deliveries after the retention of events. */
const forgetDeliveries = defineJob({
  name: 'webhooks-forget',
  schedule: '23 * * * *',
  unique: 'both',
  async run({ database, clock, config }, _, { signal }) {
    const before = plusSeconds(clock.now(), -eventsKept({ config }))
    for (let gone = BATCH; gone === BATCH && !signal.aborted; ) {
      gone = await database.platform('write', async (tx) => {
        const { rows } = await sql<{ tenant_id: number; id: number }>`
          select tenant_id, id from webhook_deliveries where created_at < ${before} limit ${BATCH}`.execute(tx)
        for (const [tenantId, ofThis] of Map.groupBy(rows, ({ tenant_id }) => tenant_id))
          await sql`
            delete from webhook_deliveries where tenant_id = ${tenantId} and id = any(${ofThis.map(({ id }) => id)}::bigint[])`.execute(
            tx,
          )
        return rows.length
      })
    }
  },
})

export default [forgetDeliveries]
