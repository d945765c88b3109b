import { sql } from 'kysely'
import type { Services } from '#kernel/context.ts'
import { KEPT } from '#kernel/http/feed.ts'
import { plusSeconds } from '#kernel/values/time.ts'

const BATCH = 5000

/** Deletes events that are older than the feed keeps them; the newest stays, because places are counted on from it. */
export async function forgetPlatformEvents({ database, clock }: Services, signal: AbortSignal) {
  const before = plusSeconds(clock.now(), -KEPT)
  for (let gone = BATCH; gone === BATCH && !signal.aborted; ) {
    gone = await database.platform('write', async (tx) => {
      const { rows } = await sql`
        delete from platform_events where id in (
          select id from platform_events
          where created_at < ${before} and position < (select max(position) from platform_events)
          order by position limit ${BATCH})
        returning id`.execute(tx)
      return rows.length
    })
  }
}
