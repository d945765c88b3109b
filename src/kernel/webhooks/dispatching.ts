/**
 * Turns events into deliveries, by groups of endpoints. An endpoint that fails doesn't delay the others, and is retried at
 * increasing intervals. A workspace's work is done in slices, so that schedulers can give the next slice to the workspace with
 * the least recent use.
 */
import { sql } from 'kysely'
import type { Ctx, Services } from '../context.ts'
import { failureOf, isRetryable } from '../database/failures.ts'
import { plusSeconds } from '../values/time.ts'
import { takeEvents } from './deliveries.ts'
import type { EndpointMaker, Feed, Transact } from './side.ts'
import { switchOff } from './switching-off.ts'

/** Pause of an endpoint that failed: initial and maximum. In seconds. */
const PAUSE = 5
const LONGEST_PAUSE = 60
/** Maximum number of paused endpoints. Beyond it, all are retried. */
const MAX_PAUSED = 10_000

/** Time after which a slice ends, after its current batch. In milliseconds. */
const SLICE = 200
/** Maximum deliveries of a batch, and events that it reads. */
const MAX_BATCH_DELIVERIES = 2000
const MAX_BATCH_EVENTS = 200
/**
 * Maximum waiting deliveries of a workspace, shared equally by its endpoints. Further events stay after the endpoint's position
 * until there is room.
 */
export const MAX_WAITING = 20_000

interface Pause {
  seconds: number
  until: string
}

interface Memory {
  /** Endpoints that failed the last time in this process. */
  pauses: Map<string, Pause>
  /** Number of events that a workspace's batch reads. Reduced if the last batch took longer than a slice. */
  batchEvents: Map<number, number>
}

const memories = new WeakMap<Services, Memory>()

interface Waiting extends EndpointMaker {
  id: number
  types: string[]
  position: number
  /** Number of deliveries until its share is full. */
  room: number
}

/** Returns the active endpoints of a workspace with their room, lowest position first. */
async function endpointsOf(ctx: Ctx): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    with part as (
      select greatest(1, ${sql.lit(MAX_WAITING)} / greatest(1, count(*)))::int as size from webhook_endpoints where tenant_id = ${ctx.tenant.id}
    )
    select e.tenant_id, e.id, e.user_id, e.key_id, e.types, e.position, part.size - (
      select count(*)::int from (
        select from webhook_deliveries d
        where d.tenant_id = ${ctx.tenant.id} and d.endpoint_id = e.id and d.status = 'waiting' limit part.size
      ) waiting
    ) as room
    from webhook_endpoints e cross join part
    where e.tenant_id = ${ctx.tenant.id} and e.is_active order by e.position, e.id`.execute(ctx.tx)
  return rows
}

interface Group extends EndpointMaker {
  key: string
  ids: number[]
  position: number
  room: number
}

/** Groups endpoints that receive the same bodies. One that failed the last time is alone. */
function groupsOf(endpoints: Waiting[], isPaused: (endpoint: Waiting) => boolean): Group[] {
  const groups = new Map<string, Group>()
  for (const endpoint of endpoints) {
    const { tenant_id, user_id, key_id, types, position, id, room } = endpoint
    const alone = isPaused(endpoint) ? id : null
    const key = JSON.stringify([user_id, key_id, position, alone, types])
    const group = groups.getOrInsertComputed(key, () => ({ key, tenant_id, user_id, key_id, ids: [], position, room }))
    group.ids.push(id)
    group.room = Math.min(group.room, room)
  }
  return [...groups.values()]
}

/**
 * Creates deliveries of new events for a workspace's endpoints, for one slice of time. Returns whether there may be more to do at
 * once.
 */
export async function dispatchSlice(services: Services, feed: Feed, transact: Transact): Promise<boolean> {
  const { pauses, batchEvents } = memories.getOrInsertComputed(services, () => ({ pauses: new Map(), batchEvents: new Map() }))
  const began = performance.now()
  const keyOf = (tenantId: number, id: number) => `${tenantId} ${id}`
  const { last } = await transact('write', feed.place)
  const endpoints = (await transact('read', endpointsOf)).filter(({ position, room }) => position < last && room > 0)
  let more = false
  for (const group of groupsOf(endpoints, ({ tenant_id, id }) => pauses.has(keyOf(tenant_id, id)))) {
    const { tenant_id, ids, position, room } = group
    const pause = pauses.get(keyOf(tenant_id, ids[0]!))
    if (pause && pause.until > services.clock.now()) continue
    if (performance.now() - began > SLICE) return true
    const batchBegan = performance.now()
    const most = batchEvents.get(tenant_id) ?? MAX_BATCH_EVENTS
    const limit = Math.max(1, Math.min(most, room, Math.floor(MAX_BATCH_DELIVERIES / ids.length)))
    try {
      const maker = await feed.maker(services, group)
      if ('ended' in maker)
        for (const id of ids)
          await transact('write', (ctx) => switchOff(ctx, id, `Nobody is told by it any more: ${maker.ended}`))
      else if (await transact('write', (ctx) => takeEvents(feed, maker(ctx), { ids, position, limit }))) more = true
      for (const id of ids) pauses.delete(keyOf(tenant_id, id))
      const took = performance.now() - batchBegan
      if (took > SLICE) batchEvents.set(tenant_id, Math.max(1, most >> 1))
      else if (most < MAX_BATCH_EVENTS && took < SLICE / 4) batchEvents.set(tenant_id, 2 * most)
      if (batchEvents.get(tenant_id)! >= MAX_BATCH_EVENTS) batchEvents.delete(tenant_id)
    } catch (error) {
      // A transient database error isn't caused by the endpoints.
      if (!failureOf(error) && !isRetryable(error))
        for (const id of ids) {
          // In a group, one endpoint may be the cause: each is retried alone and at once.
          const seconds = ids.length > 1 ? 0 : pause?.seconds ? Math.min(2 * pause.seconds, LONGEST_PAUSE) : PAUSE
          if (pauses.size >= MAX_PAUSED) pauses.clear()
          pauses.set(keyOf(tenant_id, id), { seconds, until: plusSeconds(services.clock.now(), seconds) })
          if (!seconds) more = true
        }
      services.log.warn({ err: error, tenant_id, endpoints: ids }, 'webhook endpoints can not be told of events at the moment')
    }
  }
  return more
}
