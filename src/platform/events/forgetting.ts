import { sql } from 'kysely'
import type { PlatformCtx, Services } from '#kernel/context.ts'
import { eventsKept } from '#kernel/http/feed.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { placePlatformEvents } from './feed.ts'

const BATCH = 5000

/**
 * Deletes events older than the retention time, except the newest, from which positions continue. Without readers, events have no
 * position: they are assigned one first, so that they can be deleted and a later reader learns that some were lost.
 */
export async function forgetPlatformEvents({ database, clock, config }: Services, signal: AbortSignal) {
  for (let more = true; more && !signal.aborted; )
    more = (await database.platform('write', (tx) => placePlatformEvents({ tx }))).has_unplaced
  const before = plusSeconds(clock.now(), -eventsKept({ config }))
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

/**
 * Deletes the changed values of an erased record from its events; the events stay. The feed covers a month, so there is no index
 * for this.
 */
export async function forgetChanges({ tx }: PlatformCtx, kind: string, id: number) {
  await tx
    .updateTable('platform_events')
    .set({ changed: null })
    .where('kind', '=', kind)
    .where('subject_id', '=', id)
    .where('changed', 'is not', null)
    .execute()
}
