/**
 * Assigns the order of events. An activity gets its id before its transaction commits, so ids don't reflect the order in which
 * others see them: one with a lower id may appear later. So committed activities get a position, assigned when the feed is read,
 * under the lock of the workspace's row in `event_feeds`. A reader up to a position has missed nothing before it.
 */
import { sql } from 'kysely'
import type { Ctx, Services } from '#kernel/context.ts'
import { eventsKept } from '#kernel/http/feed.ts'
import { plusSeconds } from '#kernel/values/time.ts'

/** Activities that get their position in one batch; the next reader continues with further ones. */
const BATCH = 5000

/** Assigns positions to committed activities. Returns the extent of the feed: positions above `floor` up to `last`. */
export async function placeEvents(ctx: Ctx): Promise<{ floor: number; last: number }> {
  const oldest = plusSeconds(ctx.now, -eventsKept(ctx.services))
  await sql`insert into event_feeds (tenant_id) values (${ctx.tenant.id}) on conflict do nothing`.execute(ctx.tx)
  const feed = await ctx.from('event_feeds').select(['last', 'floor']).forUpdate().executeTakeFirstOrThrow()
  const { rows: placed } = await sql<{ position: number }>`
    update activities a set position = unplaced.position
    from (
      select id, ${feed.last}::bigint + row_number() over (order by created_at, id) as position from activities
      where tenant_id = ${ctx.tenant.id} and position is null and created_at > ${oldest}
      order by created_at, id limit ${BATCH}
    ) unplaced
    where a.tenant_id = ${ctx.tenant.id} and a.id = unplaced.id returning a.position`.execute(ctx.tx)
  const last = feed.last + placed.length
  const floor = await raisedFloor(ctx, feed.floor, oldest)
  if (last !== feed.last || floor !== feed.floor) await ctx.update('event_feeds').set({ last, floor }).execute()
  return { floor, last }
}

/** Returns the floor raised above the next events that are too old. */
async function raisedFloor(ctx: Ctx, floor: number, oldest: string): Promise<number> {
  const { rows } = await sql<{ floor: number | null }>`
    select max(position) filter (where created_at <= ${oldest}) as floor from (
      select position, created_at from activities where tenant_id = ${ctx.tenant.id} and position > ${floor} order by position limit ${BATCH}
    ) next`.execute(ctx.tx)
  return rows[0]?.floor ?? floor
}

/** Whether activities wait for their position: readers need no lock if there are none. */
export async function hasUnplaced(ctx: Ctx): Promise<boolean> {
  const found = ctx
    .from('activities')
    .select('id')
    .where('position', 'is', null)
    .where('created_at', '>', plusSeconds(ctx.now, -eventsKept(ctx.services)))
    .limit(1)
  return (await found.executeTakeFirst()) !== undefined
}

/** Returns which of these workspaces have events after the follower's position, or activities without one. */
export async function behind({ database, clock, config }: Services, told: ReadonlyMap<number, number>): Promise<number[]> {
  const ids = [...told.keys()]
  if (!ids.length) return []
  const oldest = plusSeconds(clock.now(), -eventsKept({ config }))
  return database.platform('read', async (tx) => {
    const placed = await sql<{ id: number; last: number }>`
      select tenant_id as id, last from event_feeds where tenant_id = any(${ids}::bigint[])`.execute(tx)
    const unplaced = await sql<{ id: number }>`
      select distinct tenant_id as id from activities where tenant_id = any(${ids}::bigint[]) and position is null and created_at > ${oldest}`.execute(
      tx,
    )
    const found = placed.rows.filter(({ id, last }) => last > told.get(id)!)
    return [...new Set([...found, ...unplaced.rows].map(({ id }) => id))]
  })
}
