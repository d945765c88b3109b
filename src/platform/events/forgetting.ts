import { sql } from 'kysely'
import type { PlatformCtx, Services } from '#kernel/context.ts'
import { eventsKept } from '#kernel/http/feed.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { placePlatformEvents } from './feed.ts'

const BATCH = 5000

/**
 * Deletes events that are older than the feed keeps them; the newest stays, because places are counted on from it. Where nobody reads they have no place
 * so far: they are given it first, so that they are forgotten as well, and whoever reads on one day is told that some are lost.
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

/** Takes away how a record changed, once it is erased itself; what happened to it stays. The feed holds a month, so no index is kept for this. */
export async function forgetChanges({ tx }: PlatformCtx, kind: string, id: number) {
  await tx
    .updateTable('platform_events')
    .set({ changed: null })
    .where('kind', '=', kind)
    .where('subject_id', '=', id)
    .where('changed', 'is not', null)
    .execute()
}
